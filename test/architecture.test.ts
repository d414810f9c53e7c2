import { readFileSync } from "node:fs";
import { type BuildOptions, build } from "esbuild";
import { describe, expect, test } from "vitest";
import { betweenFolders, cyclesOf } from "./architecture/cycles.js";
import { exportedNames, exportedTypes, exportedTypesOf } from "./architecture/exported-names.js";
import { type Import, importsOf, listFiles, loadedWith, readImports } from "./architecture/import-graph.js";
import { BROUGHT_ALONG, CODECS, ENGINES, RULES } from "./architecture/rules.js";
import { NODE_OF_LIBDEFLATE } from "./browser/for-pages.js";

const imports = readImports("src");
const importsOfPage = readImports("view/src");
const IN_MEMORY = { write: false, metafile: true } as const;
const groupedByFile = (edges: readonly Import[]) => {
  const groups = new Map<string, Import[]>();
  for (const edge of edges) groups.set(edge.from, [...(groups.get(edge.from) ?? []), edge]);
  return groups;
};
const show = ({ from, to }: { from: string; to: string }) => `${from} -> ${to}`;

describe("import rules", () => {
  test.each(RULES)("$rule", ({ broken, example: [file, line] }) => {
    expect(importsOf(file, line).filter(broken), "the rule's own example").toHaveLength(1);
    expect(imports.filter(broken).map(show)).toEqual([]);
  });

  test.each(ENGINES)("%s has one adapter, perhaps with a variant for Node", (engine) => {
    const users = imports
      .filter((edge) => edge.to === engine && edge.atRunTime && !edge.from.startsWith("platform/"))
      .map((edge) => edge.from);
    const adapters = new Set(users.map((file) => file.replace(/\.node\.ts$/, ".ts")));
    expect([...adapters].slice(1)).toEqual([]);
  });

  test("every import leads to a file", () => {
    const files = new Set(listFiles("src", /\.ts$/));
    const lost = imports.filter((edge) => edge.to.endsWith(".ts") && !files.has(edge.to));
    expect(lost.map(show)).toEqual([]);
  });

  // The library's tables are apache-arrow's, so its entries may load that; the command line and its IPC files do without.
  test.each([
    ["published/index.ts", [...ENGINES, ...CODECS]],
    ["published/node.ts", [...ENGINES, ...CODECS]],
    ["cli/command-line.ts", ["apache-arrow", "cli-progress", ...ENGINES, ...CODECS]],
    ...["inspect", "convert", "concat", "split", "index-file"].map((command): [string, string[]] => [
      `cli/actions/${command}.ts`,
      ["apache-arrow", "cli-progress", ...ENGINES, ...CODECS],
    ]),
    ["tables/encoded-table.ts", ["apache-arrow", ...ENGINES, ...CODECS]],
  ])("%s loads nothing heavy before it is needed", (entry, heavy) => {
    const loaded = loadedWith(imports, [entry]);
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

describe("folders", () => {
  test("import each other in one direction", () => {
    expect(cyclesOf(["a b", "b c", "c a", "c d"].map((edge) => ({ from: edge[0], to: edge[2] })))).toEqual([
      ["a", "b", "c"],
    ]);
    expect(cyclesOf(betweenFolders(imports))).toEqual([]);
    expect(cyclesOf(betweenFolders(importsOfPage))).toEqual([]);
  });

  test("hold at most 30 files", () => {
    const counts = new Map<string, number>();
    for (const file of ["src", "view"].flatMap((top) => listFiles(top, /\.tsx?$/).map((name) => `${top}/${name}`))) {
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
    expect([...exportedTypes("src")].filter(([, files]) => files.length > 1)).toEqual([]);
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

  const exported = exportedNames("src");

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
    expect(cyclesOf(imports.filter(({ to }) => to.endsWith(".ts")))).toEqual([]);
    expect(cyclesOf(importsOfPage.filter(({ to }) => to.endsWith(".ts")))).toEqual([]);
  });

  const files = ["src", "view", "test", "bench", "examples"].flatMap((folder) =>
    listFiles(folder, /\.(tsx?|mjs|js)$/).map((file) => `${folder}/${file}`),
  );

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
    expect(listFiles("src", /\.ts$/).filter((file) => !kebab.test(file.split("/").at(-1) ?? ""))).toEqual([]);
  });

  test("keep no variable that another module can set: state is passed, what is made once is a constant", () => {
    const variables = (text: string) => text.match(/^(export )?(let|var) .*/gm) ?? [];
    expect(variables("const a = 1;\nlet installed: Inflate | undefined;")).toHaveLength(1);
    const found = ["src", "view/src"].flatMap((top) =>
      listFiles(top, /\.tsx?$/).flatMap((file) => variables(readFileSync(`${top}/${file}`, "utf8"))),
    );
    expect(found).toEqual([]);
  });

  test("are not told to ignore the compiler or the linter", () => {
    const loose = /(:|<|\bas) any\b|@ts-(ignore|nocheck|expect-error)|biome-ignore/;
    const found = ["src", "view/src"].flatMap((top) =>
      listFiles(top, /\.tsx?$/).filter((file) => loose.test(readFileSync(`${top}/${file}`, "utf8"))),
    );
    expect(found).toEqual([]);
  });
});

describe("the default entry in a browser", () => {
  const bundle = (options: BuildOptions) =>
    build({ bundle: true, format: "esm", platform: "browser", logLevel: "silent", ...options, ...IN_MEMORY });

  test("our own code names nothing of Node", async () => {
    const { outputFiles, warnings } = await bundle({ entryPoints: ["./src/published/index.ts"], packages: "external" });
    const code = outputFiles.map((file) => file.text).join("\n");
    expect(warnings).toEqual([]);
    expect(code.match(/["']node:[^"']*["']|\bBuffer\.|\bprocess\.|\brequire\(|\b__dirname\b/g) ?? []).toEqual([]);
  });

  test("bundles with everything it needs", async () => {
    // DuckDB is handed in by the caller.
    const given = ["@duckdb/duckdb-wasm", ...NODE_OF_LIBDEFLATE];
    const { metafile } = await bundle({ entryPoints: ["./src/published/index.ts"], external: given });
    const external = Object.values(metafile.outputs).flatMap((output) => output.imports.map((edge) => edge.path));
    expect(external.filter((path) => !given.includes(path))).toEqual([]);
  });
});

test("the tests that take long (test/long-tests.txt) are there", () => {
  const listed = readFileSync("test/long-tests.txt", "utf8").match(/^test\/.*$/gm) ?? [];
  const all = listFiles("test", /\.test\.ts$/).map((file) => `test/${file}`);
  expect(listed.length).toBeGreaterThan(0);
  expect(listed.filter((file) => !all.includes(file))).toEqual([]);
});

describe("the tests that run on a further version of Node (.ci/platform-tests.txt)", () => {
  const listed = readFileSync(".ci/platform-tests.txt", "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const all = listFiles("test", /\.test\.ts$/).filter((file) => !file.startsWith("browser/"));
  const isListed = (file: string) => listed.some((line) => `test/${file}`.startsWith(line));

  test("are there", () => {
    expect(listed.filter((line) => !all.some((file) => `test/${file}`.startsWith(line)))).toEqual([]);
  });

  test("load each file for Node alone, and each part of Node that the library uses", () => {
    const ofTests = readImports("test").map((edge) => ({
      ...edge,
      from: `test/${edge.from}`,
      to: edge.to.startsWith("../src/") ? edge.to.slice("../src/".length) : edge.to.replace(/^(?=[^:]*\.ts$)/, "test/"),
    }));
    const byFile = groupedByFile([...ofTests, ...imports].filter(({ atRunTime }) => atRunTime));
    // What runs the built command starts its threads and processes, too.
    const started = ["cli/main.ts", ...listFiles("src", /-?(worker|process)\.node\.ts$/)];
    const loaded = new Set(all.filter(isListed).map((file) => `test/${file}`));
    for (const file of loaded) {
      for (const { to } of byFile.get(file) ?? []) loaded.add(to);
      if (file === "test/build.ts") for (const entry of started) loaded.add(entry);
    }
    const parts = imports.filter(({ to }) => to.startsWith("node:")).map(({ to }) => to);
    const wanted = new Set([...parts, ...listFiles("src", /\.node\.ts$/)]);
    expect([...wanted].filter((one) => !loaded.has(one))).toEqual([]);
  });
});
