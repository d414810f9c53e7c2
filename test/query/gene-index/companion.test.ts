import { execFileSync, spawn } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { OpenOptions } from "../../../packages/published/src/index.js";
import {
  listCompanions,
  open as openPath,
  removeCompanion,
  write,
  writeCompanion,
} from "../../../packages/published/src/node.js";
import { openFileSource } from "../../../src/io/sources/file.node.js";
import { DatasetGeneIndex } from "../../../src/query/gene-index/dataset-gene-index.js";
import { createLocalLocation } from "../../../src/query/gene-index/local-location.node.js";
import { open, place } from "../../formats/conversion/opened.js";

const DATA = "test/fixtures/data";
const PBMC = "examples/pbmc.h5ad";

/** A copy of a file, and an empty folder of companions. */
function copyOf(file: string): { readonly file: string; readonly cache: string } {
  const folder = place("folder");
  mkdirSync(folder);
  const copy = join(folder, file.split("/").at(-1) ?? "");
  cpSync(file, copy, { recursive: true });
  return { file: copy, cache: join(folder, "cache") };
}

/** Why the companion in a folder is not used for a file; null where it is, undefined where there is none. */
async function problemOf(file: string, path: string): Promise<string | null | undefined> {
  const source = await openFileSource(file);
  const companion = new DatasetGeneIndex(source, [createLocalLocation(async () => path)]);
  const state = await companion.state();
  await companion.close();
  await source.close();
  return state === null ? undefined : state.problem;
}

/** The entries of a matrix at some genes in several layouts, and with few cells. */
async function answers(
  file: string,
  options: OpenOptions,
  name: string,
  axis: "row" | "col",
  genes: readonly number[],
) {
  const data = await openPath(file, options);
  try {
    const table = data.table(name);
    const found: unknown[] = [];
    for (const positions of [genes.slice(0, 1), genes.slice(0, 3), []]) {
      for (const layout of ["coordinate", "list", "dense"] as const) {
        const read = await (await table.layout(layout)).read({ where: { [axis]: positions } });
        found.push([String(read.schema), read.toArray().map(String)]);
      }
      const both = await table.read({ where: { [axis]: positions, [axis === "row" ? "col" : "row"]: [0, 1] } });
      found.push(both.toArray().map(String));
    }
    return found;
  } finally {
    await data.close();
  }
}

const FIXTURES = [
  [PBMC, "X", "col", 800],
  [PBMC, "layers/counts", "col", 800],
  ["examples/pbmc.zarr.zip", "layers/counts", "col", 800],
  [`${DATA}/annotated/counts.h5ad`, "X", "col", 0],
  [`${DATA}/annotated/counts.h5ad`, "raw/X", "col", 0],
] as const;

test.each(FIXTURES)("%s: genes of %s are what the matrix itself gives", async (fixture, name, axis, size) => {
  const { file, cache } = copyOf(fixture);
  const { path, matrices, written } = await writeCompanion(file, { cache, elements: [name] });
  expect([written, matrices.map((matrix) => matrix.name)]).toEqual([true, [name]]);
  expect(await problemOf(file, path ?? "")).toBeNull();
  const genes = size > 0 ? [7, 1, size - 1] : [2, 0, 1];
  expect(await answers(file, { companion: cache }, name, axis, genes)).toEqual(
    await answers(file, { companion: "off" }, name, axis, genes),
  );
});

test("genes, parts and dense lists come from the companion alone: the matrix itself may be gone", async () => {
  const { file, cache } = copyOf(PBMC);
  await writeCompanion(file, { cache });
  const without = await open(file, { companion: "off" });
  const data = await open(file, { companion: cache });
  const [name] = (await data.varNames()) ?? [];
  const expected = await without.gene(name, { layer: "counts" });
  const part = await without.select({ var: [name] });
  const before = (await part.table("layers/counts").read()).toArray().map(String);
  const { size } = statSync(file);
  const zeros = Buffer.alloc(size);
  const { atime, mtime } = statSync(file);
  // The opened file has its time from before, and its ends are compared.
  const bytes = readFileSync(file);
  bytes.copy(zeros, 0, 0, 2 ** 16);
  bytes.copy(zeros, size - 2 ** 16, size - 2 ** 16);
  const names = await data.table("obs").read();
  expect(names.numRows).toBe(2700);
  writeFileSync(file, zeros);
  utimesSync(file, atime, mtime);
  expect(await data.gene(name, { layer: "counts" })).toEqual(expected);
  const same = await data.select({ var: [name] });
  expect((await same.table("layers/counts").read()).toArray().map(String)).toEqual(before);
  await expect(without.table("layers/counts").read()).rejects.toThrow();
});

/** Values of each type that a copy may change most easily. */
const TYPES = {
  float32: [0, 1, 1.5, -0, Number.NaN, 2 ** 24 + 2, Number.POSITIVE_INFINITY],
  counts: [0, 1, 3, 70000],
  negative: [0, 5, -3],
  float64: [0, 0.1, -0, 2 ** 31],
} as const;

test("random matrices with repeated entries, empty genes and rows out of order", async () => {
  const entry = fc.tuple(fc.nat(8), fc.nat(5), fc.nat(6));
  const matrix = fc.record({
    kind: fc.constantFrom<keyof typeof TYPES>("float32", "counts", "negative", "float64"),
    entries: fc.array(entry, { maxLength: 60 }),
    sorted: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(matrix, async ({ kind, entries, sorted }) => {
      const { file, cache } = await stored(kind, entries, sorted);
      await writeCompanion(file, { cache });
      expect((await writeCompanion(file, { cache })).written).toBe(false);
      expect(await answers(file, { companion: cache }, "X", "col", [3, 0, 5])).toEqual(
        await answers(file, { companion: "off" }, "X", "col", [3, 0, 5]),
      );
    }),
    { numRuns: 12 },
  );
});

/** Writes a CSR matrix of 9 cells and 6 genes with these entries, row by row, as Zarr arrays by hand. */
async function stored(
  kind: keyof typeof TYPES,
  entries: readonly (readonly [number, number, number])[],
  sorted: boolean,
) {
  const rows = [...entries].sort((a, b) => a[0] - b[0] || (sorted ? a[1] - b[1] : 0));
  const values = rows.map(([, , value]) => TYPES[kind][value % TYPES[kind].length]);
  const folder = place("folder");
  mkdirSync(folder);
  const file = join(folder, "random.zarr");
  const array = (name: string, dtype: string, of: NodeJS.TypedArray) => {
    mkdirSync(join(file, name), { recursive: true });
    const about = {
      zarr_format: 2,
      shape: [of.length],
      chunks: [Math.max(1, of.length)],
      dtype,
      compressor: null,
      fill_value: 0,
      order: "C",
      filters: null,
    };
    writeFileSync(join(file, name, ".zarray"), JSON.stringify(about));
    writeFileSync(join(file, name, ".zattrs"), "{}");
    if (of.length > 0) writeFileSync(join(file, name, "0"), new Uint8Array(of.buffer));
  };
  const group = (name: string, attributes: object) => {
    mkdirSync(join(file, name), { recursive: true });
    writeFileSync(join(file, name, ".zgroup"), JSON.stringify({ zarr_format: 2 }));
    writeFileSync(join(file, name, ".zattrs"), JSON.stringify(attributes));
  };
  group("", { "encoding-type": "anndata", "encoding-version": "0.1.0" });
  for (const [name, length] of [
    ["obs", 9],
    ["var", 6],
  ] as const) {
    group(name, { "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "_index", "column-order": [] });
    array(`${name}/_index`, "<i4", new Int32Array(length));
  }
  group("X", { "encoding-type": "csr_matrix", "encoding-version": "0.1.0", shape: [9, 6] });
  const isDouble = kind === "float64";
  const data =
    kind === "float32" ? Float32Array.from(values) : isDouble ? Float64Array.from(values) : Int32Array.from(values);
  array("X/data", kind === "float32" ? "<f4" : isDouble ? "<f8" : "<i4", data);
  array(
    "X/indices",
    "<i4",
    Int32Array.from(rows, ([, col]) => col),
  );
  const pointers = Int32Array.from({ length: 10 }, (_, row) => rows.filter(([own]) => own < row).length);
  array("X/indptr", "<i4", pointers);
  return { file, cache: join(folder, "cache") };
}

test("matrices that need no copy are named, and are no error", async () => {
  const dense = place("h5ad");
  await write(dense, await open(PBMC), { order: "csc" });
  const { path, leftOut } = await writeCompanion(dense, { cache: place("cache") });
  expect(path).toBeNull();
  expect(leftOut).toEqual([
    { name: "X", reason: "it is stored by genes already" },
    { name: "layers/counts", reason: "it is stored by genes already" },
  ]);
  await expect(writeCompanion(PBMC, { cache: place("cache"), elements: ["layers/cuonts"] })).rejects.toThrow(
    'no matrix "layers/cuonts"; there are layers/counts',
  );
});

test("a companion of another version of the file is never used", async () => {
  const { file, cache } = copyOf(PBMC);
  const { path } = await writeCompanion(file, { cache });
  const companion = path ?? "";
  const { atime, mtime } = statSync(file);
  utimesSync(file, atime, new Date(mtime.getTime() + 10));
  expect(await problemOf(file, companion)).toMatch("it changed last at");
  utimesSync(file, atime, mtime);
  const bytes = readFileSync(file);
  bytes[bytes.length - 100] ^= 1;
  writeFileSync(file, bytes);
  utimesSync(file, atime, mtime);
  expect(await problemOf(file, companion)).toBe("its bytes have changed");
  truncateSync(file, bytes.length - 1);
  expect(await problemOf(file, companion)).toBe(`it had ${bytes.length} bytes, and has ${bytes.length - 1}`);
  copyFileSync(`${DATA}/annotated/counts.h5ad`, file);
  expect(await problemOf(file, companion)).toMatch("bytes");
  expect((await writeCompanion(file, { cache })).written).toBe(true);
  expect(await problemOf(file, companion)).toBeNull();
});

test("a folder is known by all of its files", async () => {
  const { file, cache } = await stored(
    "counts",
    [
      [1, 2, 1],
      [3, 0, 2],
      [4, 2, 3],
      [5, 2, 2],
    ],
    true,
  );
  await writeCompanion(file, { cache });
  expect((await writeCompanion(file, { cache })).written).toBe(false);
  writeFileSync(join(file, "X/data/0"), new Uint8Array(Int32Array.of(9, 9, 9, 9).buffer));
  const data = await open(file, { companion: cache });
  const { numRows } = await data.table("X").read({ where: { col: [0] } });
  const [entry] = (await data.table("X").read({ where: { col: [0] } })).toArray();
  expect([numRows, entry.value]).toEqual([1, 9]);
  expect((await writeCompanion(file, { cache })).written).toBe(true);
});

test("a damaged companion is passed over, or an error: values are never wrong", async () => {
  const { file, cache } = copyOf(PBMC);
  const { path } = await writeCompanion(file, { cache, elements: ["layers/counts"] });
  const manifestPath = join(path ?? "", "manifest.json");
  const text = readFileSync(manifestPath, "utf8");
  const manifest = JSON.parse(text);
  const array = (name: string) => join(path ?? "", manifest.folder, "0", name);
  const expected = await answers(file, { companion: "off" }, "layers/counts", "col", [5, 6, 7]);
  const seen = async () => answers(file, { companion: cache }, "layers/counts", "col", [5, 6, 7]);
  const changed = (change: (matrix: Record<string, unknown>) => void) => {
    const copy = JSON.parse(text);
    change(copy.matrices[0]);
    writeFileSync(manifestPath, JSON.stringify(copy));
  };
  // Another matrix, claims that the files do not meet, and no manifest: the file itself is read.
  for (const change of [
    (matrix: Record<string, unknown>) => (matrix.shape = [2700, 801]),
    (matrix: Record<string, unknown>) => (matrix.nnz = 10),
    (matrix: Record<string, unknown>) => (matrix.arrays = { ...Object(matrix.arrays), index_data: 2 ** 52 }),
    (matrix: Record<string, unknown>) => (matrix.value = "float64"),
    (matrix: Record<string, unknown>) => (matrix.packed = "double"),
  ]) {
    changed(change);
    expect(await seen()).toEqual(expected);
  }
  writeFileSync(manifestPath, text.slice(0, 200));
  expect(await seen()).toEqual(expected);
  writeFileSync(manifestPath, text);
  for (const name of ["index_data", "val_data", "idxptr"]) {
    const whole = readFileSync(array(name));
    writeFileSync(array(name), whole.subarray(0, whole.length - 8));
    expect(await problemOf(file, path ?? "")).toMatch(`${name} has ${whole.length - 8} bytes of ${whole.length}`);
    expect(await seen()).toEqual(expected);
    writeFileSync(array(name), whole);
  }
  const whole = readFileSync(array("index_idx"));
  const broken = Buffer.from(whole);
  broken.fill(0xff, 12, broken.length - 4);
  writeFileSync(array("index_idx"), broken);
  await expect(seen()).rejects.toThrow(/the companion is broken: .*annarrow index --remove/);
  writeFileSync(array("index_idx"), whole);
  expect(await seen()).toEqual(expected);
});

test("a companion that is removed while a dataset is open is done without", async () => {
  const { file, cache } = copyOf(PBMC);
  await writeCompanion(file, { cache });
  const data = await open(file, { companion: cache });
  const expected = await (await open(file, { companion: "off" })).table("X").read({ where: { col: [400] } });
  await data.table("X").read({ where: { col: [1] } });
  expect(await removeCompanion(file, { cache })).toHaveLength(1);
  const read = await data.table("X").read({ where: { col: [400] } });
  expect(read.toArray().map(String)).toEqual(expected.toArray().map(String));
});

test("two processes that index at once leave one valid companion; a killed one leaves none", async () => {
  const { file, cache } = copyOf(PBMC);
  const results = await Promise.all([writeCompanion(file, { cache }), writeCompanion(file, { cache })]);
  const [{ path }] = results;
  expect(results.map((result) => result.path)).toEqual([path, path]);
  expect(await problemOf(file, path ?? "")).toBeNull();
  expect(readdirSync(cache)).toHaveLength(1);
  await removeCompanion(file, { cache });
  const code = `const { writeCompanion } = await import(${JSON.stringify(join(process.cwd(), "dist/node.js"))});
    await writeCompanion(${JSON.stringify(file)}, { cache: ${JSON.stringify(cache)}, onProgress: () => process.kill(process.pid, "SIGKILL") });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "inherit" });
  const signal = await new Promise((resolve) => child.on("exit", (_, ended) => resolve(ended)));
  expect([signal, existsSync(path ?? ""), readdirSync(cache)]).toEqual([
    "SIGKILL",
    false,
    [expect.stringMatching(/\.tmp$/)],
  ]);
  expect((await writeCompanion(file, { cache })).written).toBe(true);
  expect(readdirSync(cache)).toEqual([path?.split("/").at(-1)]);
});

test("companions are listed and removed, beside the file and in a folder", async () => {
  const { file, cache } = copyOf(PBMC);
  const beside = await writeCompanion(file, { beside: true, elements: ["layers/counts"] });
  expect(beside.path).toBe(`${file}.annarrow`);
  const { path } = await writeCompanion(file, { cache });
  expect(await listCompanions(cache)).toMatchObject([{ path, source: file, elements: ["X", "layers/counts"] }]);
  const command = (...words: string[]) =>
    execFileSync(process.execPath, ["dist/cli/main.js", ...words], {
      encoding: "utf8",
      env: { ...process.env, XDG_CACHE_HOME: dirname(cache) },
    });
  expect(command("inspect", file)).toContain(`companion ${file}.annarrow: layers/counts by genes, `);
  expect(JSON.parse(command("inspect", file, "--companion", cache, "--json")).companion).toMatchObject({
    name: path,
    problem: null,
  });
  expect((await removeCompanion(file, { cache })).length).toBe(2);
  expect(await listCompanions(cache)).toEqual([]);
});

test("the oldest companions make room for a new one", async () => {
  const { file, cache } = copyOf(PBMC);
  const files = ["first", "second", "third", "fourth"].map((name) => join(dirname(file), `${name}.h5ad`));
  for (const name of files) cpSync(file, name);
  const made: string[] = [];
  let bytes = 0;
  for (const [i, name] of files.slice(0, 3).entries()) {
    const { path, matrices, removed } = await writeCompanion(name, { cache });
    expect(removed).toEqual([]);
    made.push(path ?? "");
    bytes = matrices.reduce((sum, matrix) => sum + matrix.bytes, 0);
    // The second one is the oldest.
    utimesSync(join(made[i], "manifest.json"), 1e9, 1e9 + [60, 0, 120][i]);
  }
  mkdirSync(join(cache, "mine"));
  const fourth = await writeCompanion(files[3], { cache, cacheBytes: 2 * bytes });
  expect(fourth.removed.map(({ path }) => path)).toEqual([made[1], made[0]]);
  expect((await listCompanions(cache)).map(({ path }) => path).sort()).toEqual([made[2], fourth.path].sort());
  // One that has no room alone stays.
  expect((await writeCompanion(files[0], { cache, cacheBytes: 1 })).removed).toHaveLength(2);
  expect((await listCompanions(cache)).map(({ source }) => source)).toEqual([files[0]]);
  expect(readdirSync(cache)).toContain("mine");
});

test("a folder with other files is not replaced, and a folder that cannot be written is named", async () => {
  const { file } = copyOf(PBMC);
  mkdirSync(`${file}.annarrow`);
  writeFileSync(`${file}.annarrow/notes.txt`, "mine");
  await expect(writeCompanion(file, { beside: true })).rejects.toThrow('holds "notes.txt"');
  writeFileSync(`${file}.file`, "");
  await expect(writeCompanion(file, { cache: `${file}.file` })).rejects.toThrow(`${file}.file`);
});
