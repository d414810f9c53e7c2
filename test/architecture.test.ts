import { existsSync, readFileSync } from "node:fs";
import { type BuildOptions, build } from "esbuild";
import { describe, expect, test } from "vitest";
import { betweenFolders, cyclesOf } from "./architecture/cycles.js";
import { exportedNames, exportedTypes, exportedTypesOf } from "./architecture/exported-names.js";
import {
  type Import,
  importsOf,
  listFiles,
  loadedWith,
  PACKAGES,
  ROOTS,
  readImports,
  readImportsWithin,
} from "./architecture/import-graph.js";
import { BROUGHT_ALONG, CODECS, ENGINES, RULES } from "./architecture/rules.js";
import { NODE_OF_LIBDEFLATE } from "./browser/for-pages.js";

const imports = readImports("src");
const importsOfAll = readImportsWithin(ROOTS);
const PAGE = "packages/view/page/src";
const importsOfPage = readImports(PAGE);
const IN_MEMORY = { write: false, metafile: true } as const;
const groupedByFile = (edges: readonly Import[]) => {
  const groups = new Map<string, Import[]>();
  for (const edge of edges) groups.set(edge.from, [...(groups.get(edge.from) ?? []), edge]);
  return groups;
};
/** Tests, of the core and of each package. */
const TESTS = ["test", ...PACKAGES.map((name) => `packages/${name}/test`)].filter((folder) => existsSync(folder));
const filesOf = (folders: readonly string[], ending: RegExp) =>
  folders.flatMap((folder) => listFiles(folder, ending).map((file) => `${folder}/${file}`));
/** The files by which packages import the core and each other. */
const isEntry = (file: string) => /^(src\/[^/]+|packages\/(?!published)[^/]+\/src)\/index(\.node)?\.ts$/.test(file);
const show = ({ from, to }: { from: string; to: string }) => `${from} -> ${to}`;

describe("import rules", () => {
  test.each(RULES)("$rule", ({ broken, example: [file, line] }) => {
    expect(importsOf(file, line).filter(broken), "the rule's own example").toHaveLength(1);
    expect(imports.filter(broken).map(show)).toEqual([]);
  });

  test.each(ENGINES)("%s has one adapter, perhaps with a variant for Node", (engine) => {
    const users = importsOfAll
      .filter((edge) => edge.to === engine && edge.atRunTime && !edge.from.startsWith("src/platform/"))
      .map((edge) => edge.from);
    const adapters = new Set(users.map((file) => file.replace(/\.node\.ts$/, ".ts")));
    expect([...adapters].slice(1)).toEqual([]);
  });

  test("every import leads to a file", () => {
    const files = new Set(filesOf(ROOTS, /\.ts$/));
    const lost = importsOfAll.filter((edge) => edge.to.endsWith(".ts") && !files.has(edge.to));
    expect(lost.map(show)).toEqual([]);
  });

  // The library's tables are apache-arrow's, so its entries may load that; the command line and its IPC files do without.
  test.each([
    ["packages/published/src/index.ts", [...ENGINES, ...CODECS]],
    ["packages/published/src/node.ts", [...ENGINES, ...CODECS]],
    ["packages/cli/src/command-line.ts", ["apache-arrow", "cli-progress", ...ENGINES, ...CODECS]],
    ...["inspect", "convert", "concat", "split", "index-file"].map((command): [string, string[]] => [
      `packages/cli/src/actions/${command}.ts`,
      ["apache-arrow", "cli-progress", ...ENGINES, ...CODECS],
    ]),
    ["src/tables/encoded-table.ts", ["apache-arrow", ...ENGINES, ...CODECS]],
  ])("%s loads nothing heavy before it is needed", (entry, heavy) => {
    const loaded = loadedWith(importsOfAll, [entry]);
    expect(heavy.flatMap((name) => loaded.get(name)?.join(" -> ") ?? [])).toEqual([]);
  });

  test("packages that are imported are dependencies, or come along", () => {
    const manifest: Record<string, Record<string, string>> = JSON.parse(readFileSync("package.json", "utf8"));
    const declared = [
      ...BROUGHT_ALONG,
      ...Object.keys(manifest.dependencies),
      ...Object.keys(manifest.optionalDependencies),
    ];
    const used = imports.filter((edge) => edge.atRunTime && !edge.to.endsWith(".ts") && !edge.to.startsWith("node:"));
    expect(used.filter((edge) => !declared.includes(edge.to)).map(show)).toEqual([]);
  });
});

describe("packages", () => {
  const outside = (root: string, to: string) => to.endsWith(".ts") && !to.startsWith(`${root}/`);

  test("are unknown to the core", () => {
    expect(importsOfAll.filter(({ from, to }) => from.startsWith("src/") && outside("src", to)).map(show)).toEqual([]);
  });

  test.each(PACKAGES)("%s imports the core and packages by their entries alone, and names what it imports", (name) => {
    const root = `packages/${name}/src`;
    const edges = importsOfAll.filter(({ from }) => from.startsWith(`${root}/`));
    expect(edges.filter(({ to, entry }) => outside(root, to) && entry === undefined).map(show)).toEqual([]);
    const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(
      readFileSync(`packages/${name}/package.json`, "utf8"),
    );
    const declared = [
      ...Object.keys(manifest.dependencies ?? {}),
      ...Object.keys(manifest.optionalDependencies ?? {}),
      ...Object.keys(manifest.peerDependencies ?? {}),
    ];
    const used = new Set(
      edges.flatMap(({ to, entry }) => {
        if (entry !== undefined) return entry.startsWith("@") ? [entry.split("/").slice(0, 2).join("/")] : [];
        return to.endsWith(".ts") || to.startsWith("node:") ? [] : [to];
      }),
    );
    expect([...used].sort()).toEqual(declared.sort());
  });

  test("are entered by files that only export what others declare", () => {
    const entries = filesOf(ROOTS, /^index(\.node)?\.ts$/).filter(isEntry);
    expect(entries.length).toBeGreaterThan(20);
    const others = (file: string) =>
      readFileSync(file, "utf8")
        .replace(/\/\*\*[\s\S]*?\*\//g, "")
        .replace(/^(export|import)\b[^;]* from "[^"]+";$|^export \* from "[^"]+";$/gm, "")
        .trim();
    expect(entries.filter((file) => others(file) !== "")).toEqual([]);
  });

  test("offer by an entry only what another package imports", () => {
    const used = new Set(
      importsOfAll.filter(({ from, entry }) => entry !== undefined && !isEntry(from)).map(({ to }) => to),
    );
    const offered = importsOfAll.filter(
      ({ from, entry, byCondition }) => isEntry(from) && entry === undefined && !byCondition,
    );
    // An `import()` may take all that an entry has, and the last is public.
    const open = new Set([
      ...importsOfAll.flatMap(({ to, lazy }) => (lazy && isEntry(to) ? [to] : [])),
      "packages/view/src/index.ts",
    ]);
    expect(offered.filter(({ from, to }) => !open.has(from) && !used.has(to)).map(show)).toEqual([]);
  });
});

describe("folders", () => {
  test("import each other in one direction", () => {
    expect(cyclesOf(["a b", "b c", "c a", "c d"].map((edge) => ({ from: edge[0], to: edge[2] })))).toEqual([
      ["a", "b", "c"],
    ]);
    expect(cyclesOf(betweenFolders(importsOfAll.filter(({ from }) => !isEntry(from))))).toEqual([]);
    expect(cyclesOf(betweenFolders(importsOfPage))).toEqual([]);
  });

  test("hold at most 30 files", () => {
    const counts = new Map<string, number>();
    for (const file of filesOf(["src", "packages"], /\.tsx?$/)) {
      const folder = file.split("/").slice(0, -1).join("/");
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > 30)).toEqual([]);
  });
});

describe("types", () => {
  test("have a name that no other exported type has", () => {
    const text =
      "export class A {}\nexport interface B {}\nexport type C = A;\nexport { D } from './d.js';\ntype E = C;";
    expect(exportedTypesOf("a.ts", text)).toEqual(["A", "B", "C"]);
    const types = ROOTS.flatMap((root) => [...exportedTypes(root)].map(([name, files]) => ({ name, root, files })));
    const again = types.filter(
      ({ name, root, files }) => files.length > 1 || types.some((one) => one.name === name && one.root !== root),
    );
    expect(again).toEqual([]);
  });
});

describe("names", () => {
  // The words that the glossary of CONTRIBUTING.md replaces in names; PLAIN is an encoding of Parquet.
  const gone =
    /^(plain|kept|places?|placed|bands?|pieces?|looks?|recognised|fate|beyond|lends|spent|trials?|turns?|pace|hints?|sheets?)$/;
  const wordsOf = (name: string) =>
    name
      .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .split(/[ _]/);
  const hasGone = (name: string) => wordsOf(name).some((word) => gone.test(word));

  const exported = ROOTS.flatMap(exportedNames);

  test("of what modules export have the words of the glossary", () => {
    expect(["placeInKeys", "KeptBlocks", "MAX_PIECES"].filter(hasGone)).toHaveLength(3);
    expect(["replaceTypes", "displayTable", "MAX_LOOKUPS"].filter(hasGone)).toEqual([]);
    const parquet = ["encodePlainTexts", "encodePlainWords"];
    expect(exported.filter((name) => hasGone(name) && !parquet.includes(name))).toEqual([]);
  });

  test("of exported functions say what is done, not of what something is", () => {
    expect(exported.filter((name) => /^[a-z].*Of$/.test(name)).length).toBeLessThan(40);
  });
});

describe("files", () => {
  test("import each other in one direction", () => {
    expect(cyclesOf(importsOfAll.filter(({ to }) => to.endsWith(".ts")))).toEqual([]);
    expect(cyclesOf(importsOfPage.filter(({ to }) => to.endsWith(".ts")))).toEqual([]);
  });

  const files = filesOf(["src", "packages", "test", "bench", "examples"], /\.(tsx?|mjs|js)$/);

  test("are at most 600 lines long", () => {
    const lines = (file: string) => readFileSync(file, "utf8").split("\n").length - 1;
    expect(files.filter((file) => lines(file) > 600)).toEqual([]);
  });

  test("have names that say what is in them", () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|shared)(\/|\.[^/]*$)/i;
    expect(files.filter((file) => vague.test(file))).toEqual([]);
  });

  test("are named in kebab-case", () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.node|\.wasm|\.test|\.property\.test)?\.ts$/;
    expect(filesOf(ROOTS, /\.ts$/).filter((file) => !kebab.test(file.split("/").at(-1) ?? ""))).toEqual([]);
  });

  test("keep no variable that another module can set: state is passed, what is made once is a constant", () => {
    const variables = (text: string) => text.match(/^(export )?(let|var) .*/gm) ?? [];
    expect(variables("const a = 1;\nlet installed: Inflate | undefined;")).toHaveLength(1);
    const found = [...ROOTS, PAGE].flatMap((top) =>
      listFiles(top, /\.tsx?$/).flatMap((file) => variables(readFileSync(`${top}/${file}`, "utf8"))),
    );
    expect(found).toEqual([]);
  });

  test("are not told to ignore the compiler or the linter", () => {
    const loose = /(:|<|\bas) any\b|@ts-(ignore|nocheck|expect-error)|biome-ignore/;
    const found = [...ROOTS, PAGE].flatMap((top) =>
      listFiles(top, /\.tsx?$/).filter((file) => loose.test(readFileSync(`${top}/${file}`, "utf8"))),
    );
    expect(found).toEqual([]);
  });
});

describe("the default entry in a browser", () => {
  const bundle = (options: BuildOptions) =>
    build({ bundle: true, format: "esm", platform: "browser", logLevel: "silent", ...options, ...IN_MEMORY });

  test("our own code names nothing of Node", async () => {
    const { outputFiles, warnings } = await bundle({
      entryPoints: ["./packages/published/src/index.ts"],
      packages: "external",
    });
    const code = outputFiles.map((file) => file.text).join("\n");
    expect(warnings).toEqual([]);
    expect(code.match(/["']node:[^"']*["']|\bBuffer\.|\bprocess\.|\brequire\(|\b__dirname\b/g) ?? []).toEqual([]);
  });

  test("bundles with everything it needs", async () => {
    // DuckDB is handed in by the caller.
    const given = ["@duckdb/duckdb-wasm", ...NODE_OF_LIBDEFLATE];
    const { metafile } = await bundle({ entryPoints: ["./packages/published/src/index.ts"], external: given });
    const external = Object.values(metafile.outputs).flatMap((output) => output.imports.map((edge) => edge.path));
    expect(external.filter((path) => !given.includes(path))).toEqual([]);
  });
});

test("the tests that take long (test/long-tests.txt) are there", () => {
  const listed = readFileSync("test/long-tests.txt", "utf8").match(/^(test|packages)\/.*$/gm) ?? [];
  const all = filesOf(TESTS, /\.test\.ts$/);
  expect(listed.length).toBeGreaterThan(0);
  expect(listed.filter((file) => !all.includes(file))).toEqual([]);
});

describe("the tests that run on a further version of Node (.ci/platform-tests.txt)", () => {
  const listed = readFileSync(".ci/platform-tests.txt", "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const all = filesOf(TESTS, /\.test\.ts$/).filter((file) => !file.startsWith("test/browser/"));
  const isListed = (file: string) => listed.some((line) => file.startsWith(line));

  test("are there", () => {
    expect(listed.filter((line) => !all.some((file) => file.startsWith(line)))).toEqual([]);
  });

  test("load each file for Node alone, and each part of Node that the library uses", () => {
    const byFile = groupedByFile([...readImportsWithin(TESTS), ...importsOfAll].filter(({ atRunTime }) => atRunTime));
    // What runs the built command starts its threads and processes, too.
    const started = ["packages/cli/src/main.ts", ...filesOf(ROOTS, /-?(worker|process)\.node\.ts$/)];
    const loaded = new Set(all.filter(isListed));
    for (const file of loaded) {
      for (const { to } of byFile.get(file) ?? []) loaded.add(to);
      if (file === "test/build.ts") for (const entry of started) loaded.add(entry);
    }
    const parts = importsOfAll.filter(({ to }) => to.startsWith("node:")).map(({ to }) => to);
    const wanted = new Set([...parts, ...filesOf(ROOTS, /\.node\.ts$/).filter((file) => !isEntry(file))]);
    expect([...wanted].filter((one) => !loaded.has(one))).toEqual([]);
  });
});
