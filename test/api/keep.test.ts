/** `--compression keep`: files of whole datasets, whose matrices keep their chunks. */

import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Field, FixedSizeList, Float32, makeData, Table, tableFromArrays, Vector } from "apache-arrow";
import { afterAll, beforeAll, expect, test } from "vitest";
import { convert, open, write } from "../../packages/published/src/node.js";
import type { StoredArray } from "../../src/containers/tree/container.js";
import { listPlanArrays } from "../../src/jobs/plan/plan.js";
import { viewAsBytes } from "../../src/model/stored.js";
import { findStoredRows } from "../../src/tables/column-table.js";
import { toColumnTable } from "../../src/tables/given/table-forms.js";
import { chunksOf } from "../stored-chunks.js";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-keep-"));
  await write(at("gzip.h5ad"), tables(), { compression: "gzip", level: 1 });
  await write(at("none.h5ad"), tables(), { compression: "none" });
  await write(at("gzip2.zarr"), tables(), { compression: "gzip" });
  await write(at("blosc2.zarr"), tables());
  await write(at("zstd3.zarr"), tables(), { zarrFormat: 3 });
  await write(at("gzip.h5mu"), Object.fromEntries(Object.entries(tables()).map(([name, t]) => [`mod/rna/${name}`, t])));
});
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);

const ROWS = 30_000;

/** A sparse and a dense matrix of several chunks. */
function tables() {
  const row = new Int32Array(8 * ROWS);
  const col = new Int32Array(8 * ROWS);
  const value = new Float32Array(8 * ROWS);
  for (let i = 0; i < row.length; i++) {
    row[i] = i >> 3;
    col[i] = 5 * (i & 7) + (i % 5);
    value[i] = Math.fround(Math.sin(i));
  }
  const names = Array.from({ length: ROWS }, (_, i) => `c${i}`);
  const obs = tableFromArrays({ _index: names, n: Int32Array.from(names, (_, i) => i) });
  const genes = tableFromArrays({ _index: Array.from({ length: 40 }, (_, i) => `g${i}`) });
  const list = new FixedSizeList(4, new Field("item", new Float32(), false));
  const child = makeData({ type: new Float32(), data: value.slice(0, 4 * ROWS) });
  const x = new Table({ x: new Vector([makeData({ type: list, length: ROWS, child })]) });
  return { X: tableFromArrays({ row, col, value }), obs, var: genes, "obsm/x": x };
}

type Data = Awaited<ReturnType<typeof open>>;

async function arraysIn(data: Data, name: string): Promise<readonly StoredArray[]> {
  const table = await toColumnTable(data.table(name));
  const dense = table.metadata?.kind === "array" ? await table.layout("dense") : table;
  const rows = findStoredRows(dense);
  return rows === null ? [] : listPlanArrays(rows);
}

async function expectEqual(one: Data, other: Data): Promise<void> {
  expect([...one.tables.keys()]).toEqual([...other.tables.keys()]);
  for (const [name, table] of one.tables) {
    const [a, b] = [await table.read(), await other.table(name).read()];
    expect(b.schema.fields.map(String)).toEqual(a.schema.fields.map(String));
    expect(b.numRows).toBe(a.numRows);
    for (const [i, field] of a.schema.fields.entries()) {
      const [left, right] = [a, b].map((read) => read.getChildAt(i)?.toArray());
      const isEqual =
        ArrayBuffer.isView(left) && ArrayBuffer.isView(right)
          ? Buffer.compare(viewAsBytes(left), viewAsBytes(right)) === 0
          : String(left) === String(right);
      expect(isEqual, `${name} ${field.name}`).toBe(true);
    }
  }
}

const KEEP = { compression: "keep", overwrite: true } as const;

test.each<[string, string, Parameters<typeof convert>[2], boolean]>([
  ["gzip.h5ad", "h5ad", KEEP, true],
  ["gzip.h5ad", "zarr", KEEP, true],
  ["gzip.h5ad", "zarr.zip", KEEP, true],
  ["gzip.h5ad", "zarr", { ...KEEP, check: true }, true],
  ["gzip.h5ad", "zarr", { ...KEEP, zarrFormat: 3 }, false],
  ["gzip2.zarr", "zarr", KEEP, true],
  ["gzip2.zarr", "zarr", { ...KEEP, zarrFormat: 3 }, true],
  ["gzip2.zarr", "h5ad", KEEP, false],
  ["blosc2.zarr", "zarr", KEEP, true],
  ["zstd3.zarr", "zarr", KEEP, true],
  ["zstd3.zarr", "zarr", { ...KEEP, zarrFormat: 2 }, false],
])("%s becomes a .%s with %o, and keeps its chunks: %s", async (name, format, options, isKept) => {
  const output = at(`${name}.out.${format}`);
  const result = await convert(at(name), output, options);
  const [source, copy] = [await open(at(name)), await open(output)];
  await expectEqual(source, copy);
  for (const matrix of ["X", "obsm/x"]) {
    const [before, after] = [await arraysIn(source, matrix), await arraysIn(copy, matrix)];
    expect(after.length).toBe(matrix === "X" ? 3 : 1);
    // Shards, and the chunks of the small matrix, are large.
    const least = matrix === "X" && name !== "zstd3.zarr" ? 2 : 1;
    expect((await chunksOf(before[0])).size).toBeGreaterThanOrEqual(least);
    for (const i of isKept ? before.keys() : []) {
      // Few pointers may lie in one piece.
      if (before[i].capabilities?.storedChunks === undefined) continue;
      expect(await chunksOf(after[i]), matrix).toEqual(await chunksOf(before[i]));
    }
    const warned = result.warnings.filter((warning) => warning.startsWith(`${matrix}: the chunks cannot be kept`));
    expect(warned.length).toBe(isKept ? 0 : 1);
  }
  await source.close();
  await copy.close();
});

test("values that are not compressed stay so", async () => {
  for (const format of ["h5ad", "zarr"]) {
    const output = at(`none.out.${format}`);
    const { warnings } = await convert(at("none.h5ad"), output, { compression: "keep" });
    expect(warnings).toEqual([]);
    const [source, copy] = [await open(at("none.h5ad")), await open(output)];
    await expectEqual(source, copy);
    for (const { chunks, capabilities } of await arraysIn(copy, "obsm/x")) {
      expect(chunks === null || capabilities?.storedChunks?.behindValues?.length === 0).toBe(true);
    }
    await source.close();
    await copy.close();
  }
});

test("modalities keep their chunks", async () => {
  for (const format of ["h5mu", "zarr"]) {
    const output = at(`mu.out.${format}`);
    await convert(at("gzip.h5mu"), output, { compression: "keep" });
    const [source, copy] = [await open(at("gzip.h5mu")), await open(output)];
    await expectEqual(source, copy);
    const [before, after] = [await arraysIn(source, "mod/rna/X"), await arraysIn(copy, "mod/rna/X")];
    expect(await chunksOf(after[0])).toEqual(await chunksOf(before[0]));
    await source.close();
    await copy.close();
  }
});

test.each([
  ["gzip.h5ad", "h5ad", {}],
  ["gzip.h5ad", "zarr", {}],
  ["gzip.h5ad", "zarr", { check: true }],
  ["gzip2.zarr", "zarr", {}],
] as const)("columns of numbers of %s keep their chunks in a .%s with %o", async (name, format, options) => {
  const [n, flag] = [Int32Array.from({ length: ROWS }, (_, i) => i), Array.from({ length: ROWS }, (_, i) => i % 3 > 0)];
  const names = Array.from({ length: ROWS }, (_, i) => `c${i}`);
  const source = at(`columns.${name}`);
  const obs = tableFromArrays({ n, _index: names, flag, x: Float64Array.from(n, Math.sqrt) });
  // Another level than that of chunks which are encoded anew.
  const genes = tableFromArrays({ _index: ["g0", "g1"] });
  await write(source, { obs, var: genes }, { compression: "gzip", level: 1, overwrite: true });
  const output = at(`columns.${name}.out.${format}`);
  await convert(source, output, { ...KEEP, ...options });
  const [before, after] = [await open(source), await open(output)];
  const [from, to] = [await before.table("obs").read(), await after.table("obs").read()];
  expect(to.schema.fields.map(String)).toEqual(from.schema.fields.map(String));
  for (const { name: column } of from.schema.fields) {
    expect([...(to.getChild(column) ?? [])], column).toEqual([...(from.getChild(column) ?? [])]);
  }
  const [old, kept] = [await arraysIn(before, "obs"), await arraysIn(after, "obs")];
  expect(kept.length).toBe(old.length);
  let compared = 0;
  for (const [i, { type, capabilities }] of old.entries()) {
    if (type.kind === "text" || capabilities?.storedChunks === undefined) continue;
    expect(await chunksOf(kept[i])).toEqual(await chunksOf(old[i]));
    compared++;
  }
  expect(compared).toBeGreaterThanOrEqual(2);
  await before.close();
  await after.close();
});

test("a part is encoded anew", async () => {
  const data = await open(at("gzip.h5ad"));
  const part = await data.select({ obs: [5, 3, 20_000] });
  await write(at("part.zarr"), part, { compression: "keep" });
  const copy = await open(at("part.zarr"));
  expect(copy.shape).toEqual([3, 40]);
  expect((await copy.table("obs").read()).getChild("n")?.toArray()).toEqual(Int32Array.of(5, 3, 20_000));
  await data.close();
  await copy.close();
});

test("indices are checked if that is asked for, and not otherwise", async () => {
  const broken = at("broken.zarr");
  await convert(at("gzip2.zarr"), broken, { compression: "none" });
  const bytes = readFileSync(join(broken, "X/indices/0"));
  bytes.writeInt32LE(40, 0);
  writeFileSync(join(broken, "X/indices/0"), bytes);
  await convert(broken, at("unchecked.zarr"), { compression: "keep" });
  expect(readFileSync(at("unchecked.zarr/X/indices/0"))).toEqual(bytes);
  await expect(convert(broken, at("checked.zarr"), { compression: "keep", check: true })).rejects.toThrow(
    /X.*40|X.*outside/s,
  );
  expect(readdirSync(folder).filter((name) => /checked\.zarr./.test(name))).toEqual([]);
});

test("a chunk of the wrong length, and one that goes away, are errors, and nothing is left", async () => {
  const source = at("short.zarr");
  await convert(at("gzip2.zarr"), source, { compression: "none" });
  const chunk = join(source, "X/data/0");
  const bytes = readFileSync(chunk);
  writeFileSync(chunk, bytes.subarray(1));
  for (const format of ["h5ad", "zarr"]) {
    await expect(convert(source, at(`short.out.${format}`), { compression: "keep" })).rejects.toThrow(
      new RegExp(`X/data/0: ${bytes.length - 1} bytes, expected ${bytes.length}`),
    );
  }
  expect(readdirSync(folder).filter((name) => name.includes("short.out"))).toEqual([]);
});

test("a chunk that claims more bytes than its file has is an error, and nothing is left", async () => {
  const bytes = readFileSync("examples/pbmc.h5ad");
  // The key of the first chunk of X/data in the index, as h5py tells it: 2,228 bytes at address 871,766, no mask, place 0.
  const key = Buffer.alloc(32);
  key.writeUInt32LE(2228, 0);
  key.writeUInt32LE(871_766, 24);
  const place = bytes.indexOf(key);
  expect(place).toBeGreaterThan(0);
  bytes.writeUInt32LE(0x7fff_ffff, place);
  writeFileSync(at("lying.h5ad"), bytes);
  for (const format of ["h5ad", "zarr"]) {
    await expect(convert(at("lying.h5ad"), at(`lying.out.${format}`), { compression: "keep" })).rejects.toThrow(
      "X/data: chunk at 0 has 2147483647 bytes at address 871766, beyond the end of the file",
    );
  }
  expect(readdirSync(folder).filter((name) => name.includes("lying.out"))).toEqual([]);
});

test.skipIf(process.platform === "win32")("a chunk that leads out of its store is not copied", async () => {
  const source = at("linked.zarr");
  await convert(at("gzip2.zarr"), source, { compression: "keep" });
  renameSync(join(source, "X/data/0"), at("outside"));
  symlinkSync(at("outside"), join(source, "X/data/0"));
  for (const format of ["h5ad", "zarr"]) {
    const refused = convert(source, at(`linked.out.${format}`), { compression: "keep" });
    await expect(refused).rejects.toMatchObject({ code: "symlink-escape" });
  }
  expect(readdirSync(folder).filter((name) => name.includes("linked.out"))).toEqual([]);
});

test("a file that changes while it is copied is an error, and nothing is left", async () => {
  const source = at("changing.h5ad");
  writeFileSync(source, readFileSync(at("gzip.h5ad")));
  const data = await open(source);
  utimesSync(source, 1, 1);
  await expect(write(at("changed.zarr"), data, { compression: "keep" })).rejects.toMatchObject({
    code: "source-changed",
    message: expect.stringContaining("changing.h5ad"),
  });
  await data.close();
  expect(readdirSync(folder).filter((name) => name.includes("changed.zarr"))).toEqual([]);
});

test("a missing chunk stays missing", async () => {
  const source = at("missing.zarr");
  await convert(at("gzip2.zarr"), source, { compression: "keep" });
  const before = readdirSync(join(source, "X/data")).length;
  rmSync(join(source, "X/data/1"));
  for (const format of ["zarr", "h5ad"]) {
    await convert(source, at(`missing.out.${format}`), { compression: "keep" });
    const [data, copy] = [await open(source), await open(at(`missing.out.${format}`))];
    await expectEqual(data, copy);
    await data.close();
    await copy.close();
  }
  expect(readdirSync(at("missing.out.zarr/X/data")).length).toBe(before - 1);
});

test("what cannot be chosen is refused", async () => {
  const from = at("gzip.h5ad");
  const options = { compression: "keep" } as const;
  await expect(convert(from, at("x.h5ad"), { ...options, level: 3 })).rejects.toThrow("no choice of a level");
  await expect(convert(from, at("x.loom"), { ...options, lossy: true })).rejects.toThrow(
    ".loom cannot keep the chunks of another file",
  );
  await expect(convert(from, at("x.bpcells"), { ...options, lossy: true })).rejects.toThrow("cannot keep the chunks");
  await expect(convert(from, at("x.parquet"), { ...options, tables: ["obs"] })).rejects.toThrow("Parquet has no keep");
  await expect(convert(from, at("x.h5ad"), { check: true })).rejects.toThrow("--compression keep");
});
