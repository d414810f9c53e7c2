import { execSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { posix, resolve } from "node:path";
import { Zstd } from "@hpcc-js/wasm-zstd";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "./build.js";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));

beforeAll(ensureBuilt, 120_000);

describe("package.json", () => {
  test("names what it is", () => {
    expect(manifest).toMatchObject({
      name: "annarrow",
      type: "module",
      license: "Apache-2.0",
      engines: { node: ">=20" },
    });
  });

  test("pins exact versions", () => {
    const { dependencies, optionalDependencies, devDependencies } = manifest;
    const versions: string[] = [dependencies, optionalDependencies, devDependencies].flatMap(Object.values);
    expect(versions.filter((version) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  test("has an entry for Node and one for everything else", () => {
    expect(Object.keys(manifest.exports["."])).toEqual(["types", "node", "default"]);
    const {
      ".": main,
      "./zarr": zarr,
      "./extend": extend,
      "./format": format,
      "./scheme": scheme,
      "./view": view,
    } = manifest.exports;
    const entries = [main, zarr, extend, format, scheme, view];
    const files: string[] = [manifest.types, ...entries.flatMap(Object.values), ...Object.values<string>(manifest.bin)];
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  test("names the files whose loading does something", () => {
    const kept: string[] = manifest.sideEffects;
    expect(kept.filter((file) => !existsSync(file.replace(/\/\*\.ts$/, "")))).toEqual([]);
  });

  test("chooses the platform by condition, among the sources and among what is built", () => {
    const all = Object.entries<Record<string, string>>(manifest.imports);
    const imports = all.filter(([name]) => name.includes("platform"));
    expect(all.filter((one) => !imports.includes(one))).toEqual([
      ["#built/libdeflate", { default: "./dist/jobs/libdeflate.js" }],
      ["#built/wasm-zstd", { default: "./dist/jobs/wasm-zstd.js" }],
    ]);
    expect(imports.map(([, variants]) => Object.keys(variants))).toEqual(imports.map(() => ["node", "default"]));
    expect(imports.flatMap(([, variants]) => Object.values(variants)).filter((file) => !existsSync(file))).toEqual([]);
    for (const [name, variants] of imports.filter(([name]) => name.startsWith("#platform"))) {
      const built = manifest.imports[name.replace("#", "#built/")];
      expect(Object.values(built)).toEqual(
        Object.values(variants).map((file) => file.replace("/src/", "/dist/").replace(/ts$/, "js")),
      );
    }
  });

  test("has a command that can be run", () => {
    const file: string = manifest.bin.annarrow;
    expect(readFileSync(file, "utf8").split("\n")[0]).toBe("#!/usr/bin/env node");
    // npm before 11 does not make it executable where it is run from its own folder.
    expect(statSync(file).mode & 0o111).toBe(0o111);
  });
});

/** The folders around a file of the package. */
function foldersOf(file: string): readonly string[] {
  const folder = posix.dirname(file);
  return folder === "." ? [] : [folder, ...foldersOf(folder)];
}

/** Links and pictures of a page that lead to no other server. */
function linksOf(page: string): readonly string[] {
  const text = page.replace(/^```.*?^```/gms, "").replace(/`[^`\n]*`/g, "code");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link).filter((link) => !/^[a-z]+:/.test(link));
}

/** The anchors of a page's headings, as GitHub and npm name them. */
function headingsOf(page: string): ReadonlySet<string> {
  const titles = [...page.matchAll(/^#{1,6} (.*)$/gm)].map(([, title]) => title.toLowerCase());
  return new Set(titles.map((title) => title.replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-")));
}

describe("the package", () => {
  let files: string[];
  beforeAll(() => {
    const output = execSync("npm pack --dry-run --ignore-scripts --json", { stdio: ["ignore", "pipe", "ignore"] });
    const [packed] = Object.values<{ files: { path: string }[] }>(JSON.parse(output.toString()));
    files = packed.files.map((file) => file.path);
  });

  test("holds the program, its types and sources, its documentation and nothing else", () => {
    const allowed =
      /^(dist\/.*\.(js|d\.ts)(\.map)?|dist\/view\/(index\.html|static\.html|licenses\.txt|assets\/page\.css)|src\/.*\.ts|packages\/[a-z]+\/src\/.*\.ts|docs\/(guides\/)?[a-z0-9-]+\.md|docs\/view\.png|docs\/pictures\/[a-z]+\.svg|bench\/[A-Z0-9]+\.md|examples\/([a-z-]+\.mjs|pbmc\.h5ad|notebooks\/[a-z0-9/-]+\.ipynb)|licenses\/[a-z]+\.txt|README\.md|LICENSE|THIRD-PARTY-NOTICES\.txt|SECURITY\.md|CHANGELOG\.md|CITATION\.cff|ARCHITECTURE\.md|CONTRIBUTING\.md|package\.json)$/;
    expect(files.filter((file) => !allowed.test(file))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([
        "dist/index.js",
        "dist/node.js",
        "dist/cli/main.js",
        "dist/platform/worker.js",
        "dist/platform/worker.node.js",
        "dist/view/index.html",
        "dist/view/static.html",
        "dist/view/licenses.txt",
        "dist/view/assets/main.js",
        "LICENSE",
        "licenses/zstd.txt",
        "licenses/hpcc.txt",
        "licenses/libdeflate.txt",
        "licenses/libdeflatejs.txt",
      ]),
    );
  });

  test("has every file and heading to which a page of it links", () => {
    const there = new Set(files.flatMap((file) => [file, ...foldersOf(file)]));
    const dead: string[] = [];
    for (const page of files.filter((file) => file.endsWith(".md"))) {
      for (const link of linksOf(readFileSync(page, "utf8"))) {
        const [path, anchor = ""] = link.split("#");
        const file = path === "" ? page : posix.join(posix.dirname(page), path).replace(/\/$/, "");
        const isThere = there.has(file) && (anchor === "" || headingsOf(readFileSync(file, "utf8")).has(anchor));
        if (!isThere) dead.push(`${page}: ${link}`);
      }
    }
    expect(dead).toEqual([]);
  });

  test.each([
    ["licenses/hpcc.txt", "node_modules/@hpcc-js/wasm-zstd/LICENSE"],
    ["licenses/libdeflatejs.txt", "node_modules/libdeflate/LICENSE.txt"],
    ["licenses/awsfetch.txt", "node_modules/aws4fetch/LICENSE"],
    ["licenses/apachearrow.txt", "node_modules/apache-arrow/LICENSE.txt"],
    ["licenses/apachearrownotice.txt", "node_modules/apache-arrow/NOTICE.txt"],
    ["licenses/commander.txt", "node_modules/commander/LICENSE"],
    ["licenses/tslib.txt", "node_modules/tslib/LICENSE.txt"],
  ])("has in %s the licence of a package that it brings along", (ours, theirs) => {
    expect(readFileSync(ours, "utf8")).toBe(readFileSync(theirs, "utf8"));
  });

  test("has the licence of every package of the page", () => {
    const text = readFileSync("dist/view/licenses.txt", "utf8");
    const names = text.split(`\n\n${"=".repeat(80)}\n\n`).map((notice) => notice.split(" ")[0]);
    expect(names).toEqual(
      expect.arrayContaining([
        "preact",
        "@codemirror/view",
        "@observablehq/plot",
        "apache-arrow",
        "@duckdb/duckdb-wasm",
      ]),
    );
    // Of each package one sentence that every licence of these packages has.
    const notices = text.split("=".repeat(80));
    expect(notices.filter((notice) => !/WARRANTY|WARRANTIES/.test(notice))).toEqual([]);
  });

  test("brings zstd along with its module unpacked, and otherwise as it is", async () => {
    const built: typeof import("@hpcc-js/wasm-zstd") = await import(resolve("dist/jobs/wasm-zstd.js"));
    const [ours, theirs] = [await built.Zstd.load(), await Zstd.load()];
    const plain = new Uint8Array(100_000).map((_, i) => (i * i) >> 7);
    for (const level of [-5, 1, 3, 19]) expect(ours.compress(plain, level)).toEqual(theirs.compress(plain, level));
    expect(ours.decompress(theirs.compress(plain))).toEqual(plain);
  });

  test("holds no tests", () => {
    expect(files.filter((file) => /test|fixture|spec\./.test(file))).toEqual([]);
  });
});

describe("what the entries export", () => {
  const DEFAULT = [
    "AnnarrowError",
    "InvalidDataError",
    "InvalidInputError",
    "MissingDependencyError",
    "NotFoundError",
    "UnsupportedError",
    "axisSums",
    "concat",
    "csv",
    "ipcFile",
    "ipcStream",
    "isAnnarrowError",
    "loadIntoDuckDB",
    "open",
    "parquetFile",
    "slice",
    "sql",
    "where",
    "withPositions",
    "write",
    "writeBytes",
  ];
  const NODE = [
    "cleanUnion",
    "commitUnion",
    "convert",
    "fromPolars",
    "listCompanions",
    "planUnion",
    "removeCompanion",
    "removeFromUnion",
    "runUnionTask",
    "serve",
    "split",
    "toPolars",
    "union",
    "view",
    "writeCompanion",
  ];

  test("index", async () => {
    expect(Object.keys(await import("../packages/published/src/index.js")).sort()).toEqual(
      [...DEFAULT, ...NODE].sort(),
    );
  });

  // Both entries have one set of types, which a page's compiler cannot tell apart.
  test.each(NODE)("%s of the entry for pages says that it needs Node.js", async (name) => {
    const pages: Record<string, unknown> = await import("../packages/published/src/index.js");
    const called = pages[name];
    if (typeof called !== "function") throw new TypeError(`${name} is no function`);
    await expect(called()).rejects.toThrow(`${name} needs Node.js`);
  });

  test("write of the entry for pages takes no path", async () => {
    const { write } = await import("../packages/published/src/index.js");
    const path: unknown = "out.zarr";
    await expect(Reflect.apply(write, null, [path, {}])).rejects.toThrow("a path needs Node.js");
  });

  test("scheme", async () => {
    expect(Object.keys(await import("../src/scheme.js"))).toEqual(["registerScheme"]);
  });

  test("format", async () => {
    expect(Object.keys(await import("../src/format.js")).toSorted()).toEqual([
      "CELLS_BY_GENES",
      "GENES_BY_CELLS",
      "GZIP_OR_NONE",
      "choice",
      "createArrayTable",
      "createDataframeTable",
      "createSparseTable",
      "createStore",
      "createTextAttribute",
      "defineFormat",
      "describeFormat",
      "listChildNames",
      "openChild",
      "readElements",
      "registerCodec",
      "registerContainer",
      "registerFormat",
      "registerStores",
      "text",
      "toggle",
      "writeElements",
    ]);
  });

  test("zarr", async () => {
    expect(Object.keys(await import("../src/zarr.js"))).toEqual(["registerCodecs"]);
  });

  test("view", async () => {
    expect(Object.keys(await import("../packages/published/src/view.js")).sort()).toEqual([
      "PageStatements",
      "ROWS_FORMATS",
      "SAVED_FORMATS",
      "Viewer",
      "asyncDuckDB",
      "isAddress",
      "isAnnarrowError",
      "isFileRequest",
      "nameOfInput",
      "openInput",
      "parseViewRequest",
    ]);
  });

  test("node", async () => {
    expect(Object.keys(await import("../packages/published/src/node.js")).sort()).toEqual([...DEFAULT, ...NODE].sort());
  });
});
