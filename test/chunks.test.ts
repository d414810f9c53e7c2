/** How scripts/chunks.mjs divides dist/ into files. */

import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { cyclesOf } from "./architecture/cycles.js";
import { type Import, listFiles, loadedWith, ROOTS, readImportsWithin } from "./architecture/import-graph.js";
import { ENGINES } from "./architecture/rules.js";
import { ensureBuilt } from "./build.js";

/** The files of each build, and what its files must not bring along: what takes long, and what pages cannot load. */
const BUILDS = [
  { of: "the library", files: /^(?!cli\/)/, heavy: ["node", "apache-arrow", ...ENGINES] },
  { of: "the command line", files: /^cli\//, heavy: ["apache-arrow", ...ENGINES] },
];

const { imports: platforms }: { imports: Record<string, Record<string, string>> } = JSON.parse(
  readFileSync("package.json", "utf8"),
);
let imports: Import[];

beforeAll(async () => {
  await ensureBuilt();
  imports = listFiles("dist", /\.js$/).flatMap(importsOfBuilt);
}, 120_000);

const commandChunk = (name: string) => {
  const found = listFiles("dist", /\.js$/).filter((file) => new RegExp(`^cli/${name}-[\\w-]{8}\\.js$`).test(file));
  expect(found, name).toHaveLength(1);
  return found[0];
};
/** The modules of the core and of packages in a file of dist/. */
function sourcesOf(map: string): string[] {
  const { sources }: { sources: string[] } = JSON.parse(readFileSync(`dist/${map}`, "utf8"));
  return sources.map((source) => posix.join(posix.dirname(map), source).replace(/^\.\.\//, ""));
}

/** Bundlers write these so alike that no parser is needed, which takes 13 s. */
function importsOfBuilt(from: string): Import[] {
  const text = readFileSync(`dist/${from}`, "utf8");
  return [...text.matchAll(/^(?:import|export)\b[^;"`]*"([^"\n]+)";$|\bimport\("([^"\n]+)"\)/gm)].flatMap(
    (found): Import[] => {
      const name = found[1] ?? found[2];
      const edge = { from, atRunTime: true, lazy: found[1] === undefined };
      const variants = platforms[name];
      if (variants === undefined) {
        const to = name.startsWith(".") ? posix.join(posix.dirname(from), name) : name;
        return [{ ...edge, to, byCondition: false }];
      }
      return Object.values(variants).map((to) => ({ ...edge, to: posix.relative("dist", to), byCondition: true }));
    },
  );
}

/** What is loaded with a file, the platform aside. */
function closures(edges: readonly Import[]): (file: string) => ReadonlySet<string> {
  const byFile = new Map<string, string[]>();
  for (const { from, to, atRunTime, lazy, byCondition } of edges) {
    if (atRunTime && !lazy && !byCondition) byFile.set(from, [...(byFile.get(from) ?? []), to]);
  }
  return (file) => {
    const loaded = new Set([file]);
    for (const name of loaded) for (const to of byFile.get(name) ?? []) loaded.add(to);
    return loaded;
  };
}

const show = ({ from, to }: Import) => `${from} -> ${to}`;

describe("files of dist/", () => {
  test("import each other in one direction", () => {
    const ours = imports.filter(({ to, lazy }) => !lazy && to.endsWith(".js"));
    expect(ours.length).toBeGreaterThan(100);
    expect(cyclesOf(ours)).toEqual([]);
  });

  test("do not import the file that waits for the command: they would wait for each other", () => {
    const waiting = imports.filter(({ to }) => /^(cli\/main|(cli|jobs)\/command-line)\b/.test(to));
    expect(waiting.map(({ from }) => from)).toEqual(["cli/main.js"]);
  });

  test.each(BUILDS)("of $of bring along nothing that takes long and that no module of theirs needs", (build) => {
    const sources = readImportsWithin(ROOTS);
    const needs = closures(sources);
    const brings = closures(imports);
    const fileOf = new Map(
      listFiles("dist", /^(?!worker).*\.js\.map$/)
        .filter((map) => build.files.test(map))
        .flatMap((map) => sourcesOf(map).map((module) => [module, map.replace(/\.map$/, "")] as const)),
    );
    const loadedAlone = new Set(
      ["packages/published/src/index.ts", "src/zarr.ts", "src/format.ts"].filter((module) => fileOf.has(module)),
    );
    const importing = sources.filter(({ from, lazy }) => lazy && fileOf.has(from));
    for (const { to } of importing) if (fileOf.has(to)) loadedAlone.add(to);
    expect(loadedAlone.size).toBeGreaterThan(100);
    const heavy = (names: ReadonlySet<string>) =>
      [...names]
        .map((name) => name.replace(/^node:.*/, "node").replace(/^cli\/arrow-package-.*/, "apache-arrow"))
        .filter((name) => build.heavy.includes(name));
    const extra = [...loadedAlone].flatMap((module) => {
      const needed = heavy(needs(module));
      const brought = heavy(brings(fileOf.get(module) ?? "")).filter((name) => !needed.includes(name));
      return brought.length === 0 ? [] : [`${module} in ${fileOf.get(module)} brings ${[...new Set(brought)]}`];
    });
    expect(extra).toEqual([]);
  });

  test("of a command bring along no other command", () => {
    const commands = readImportsWithin(ROOTS).filter(
      ({ from, lazy }) => /^packages\/cli\/src\/(command-table|commands\/.*)\.ts$/.test(from) && lazy,
    );
    expect(commands.length).toBeGreaterThan(20);
    const brings = closures(imports);
    const sourcesOfFile = new Map(
      listFiles("dist", /\.js\.map$/)
        .filter((map) => map.startsWith("cli/"))
        .map((map) => [map.replace(/\.map$/, ""), sourcesOf(map)] as const),
    );
    const fileOf = (module: string) => [...sourcesOfFile].find(([, sources]) => sources.includes(module))?.[0] ?? "";
    for (const { to } of commands) {
      const brought = [...brings(fileOf(to))].flatMap((file) => sourcesOfFile.get(file) ?? []);
      expect(commands.map((one) => one.to).filter((one) => brought.includes(one))).toEqual([to]);
    }
  });

  test("of the command line have apache-arrow as one file, and of other files the worker and two packages", () => {
    const ofCommands = imports.filter(({ from }) => from.startsWith("cli/"));
    expect(ofCommands.filter(({ to }) => to === "apache-arrow").map(show)).toEqual([]);
    const arrow = commandChunk("arrow-package");
    expect(ofCommands.filter(({ to }) => to === arrow).length).toBeGreaterThan(5);
    const others = ofCommands.filter(({ to }) => to.endsWith(".js") && !to.startsWith("cli/"));
    expect(new Set(others.map(({ to }) => to))).toEqual(
      new Set(["platform/worker.node.js", "jobs/libdeflate.js", "jobs/wasm-zstd.js"]),
    );
  });

  test("of workers are one file each", () => {
    const workers = imports.filter(({ from }) => from.startsWith("platform/worker"));
    expect(workers.filter(({ to }) => to.startsWith("jobs/")).map(show)).toEqual([
      "platform/worker.node.js -> jobs/wasm-zstd.js",
      "platform/worker.node.js -> jobs/libdeflate.js",
    ]);
  });

  test("are few for `annarrow --help`, and for the entry of Node", () => {
    const ours = (entries: string[]) => [...loadedWith(imports, entries).keys()].filter((name) => name.endsWith(".js"));
    const help = ours(["cli/main.js", commandChunk("command-line")]);
    expect(help.length).toBeLessThanOrEqual(5);
    expect(help).not.toContain(commandChunk("arrow-package"));
    expect(ours(["node.js"]).length).toBeLessThanOrEqual(21);
  });
});
