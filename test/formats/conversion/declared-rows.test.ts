/** Values that a file declares and stores nowhere: a file of some kilobytes can declare any number of them. */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { convert, open, writeBytes } from "../../../packages/published/src/node.js";
import { isAnnarrowError } from "../../../src/model/errors.js";

const FOLDER = "test/fixtures/data/hostile";
const FILE = `${FOLDER}/declared.h5ad`;
const folder = mkdtempSync(join(tmpdir(), "annarrow-declared-"));
afterAll(() => rmSync(folder, { recursive: true }));

const isRefused = (error: unknown) =>
  isAnnarrowError(error, "UnsupportedError") && /stored nowhere in the file.*--lossy/.test(error.message);

test("rows that were never written are listed, and read where they are asked for", async () => {
  const data = await open(FILE);
  const obs = data.table("obs");
  expect(obs.rows).toBe(2_000_000_000);
  const rows = await obs.read({ rows: [1_999_999_998, 2_000_000_000] });
  expect(rows.toArray().map(String)).toEqual(['{"_index": "", "depth": 0}', '{"_index": "", "depth": 0}']);
  await data.close();
});

test.each(["depth.parquet", "depth.h5ad"])("they do not become %s without end", async (output) => {
  const converted = convert(FILE, join(folder, output), { tables: ["obs"] });
  await expect(converted).rejects.toSatisfy(isRefused);
  expect(readdirSync(folder)).toEqual([]);
});

test("nor does a store of Zarr whose chunks are missing, as a dataset that is written", async () => {
  const json = (value: object) => new TextEncoder().encode(JSON.stringify(value));
  const frame = { "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "_index", "column-order": [] };
  const array = { zarr_format: 2, shape: [2e9, 4], chunks: [2 ** 18, 4], dtype: "<f8", fill_value: 1, order: "C" };
  const text = { ...array, shape: [4], chunks: [4], dtype: "|O", fill_value: "" };
  const filters = [{ id: "vlen-utf8" }];
  const group = json({ zarr_format: 2 });
  const store = new Map([
    [".zgroup", group],
    [".zattrs", json({ "encoding-type": "anndata", "encoding-version": "0.1.0" })],
    ["X/.zarray", json({ ...array, compressor: null, filters: null })],
    ["X/.zattrs", json({ "encoding-type": "array", "encoding-version": "0.2.0" })],
    ["obs/.zgroup", group],
    ["obs/.zattrs", json(frame)],
    ["obs/_index/.zarray", json({ ...text, ...{ shape: [2e9], chunks: [2 ** 20] }, compressor: null, filters })],
    ["obs/_index/.zattrs", json({ "encoding-type": "string-array", "encoding-version": "0.2.0" })],
    ["var/.zgroup", group],
    ["var/.zattrs", json(frame)],
    ["var/_index/.zarray", json({ ...text, compressor: null, filters })],
    ["var/_index/.zattrs", json({ "encoding-type": "string-array", "encoding-version": "0.2.0" })],
  ]);
  const data = await open(store);
  const X = await data.table("X").read({ rows: [1_999_999_999, 2_000_000_000] });
  expect(Array.from(X.getChild("value")?.get(0)?.toArray() ?? [])).toEqual([1, 1, 1, 1]);
  await expect(writeBytes("h5ad", data)).rejects.toSatisfy(isRefused);
});

test("entries of a sparse matrix whose chunks are missing are not written without end", async () => {
  const json = (value: object) => new TextEncoder().encode(JSON.stringify(value));
  const entries = 2 ** 40;
  const array = { zarr_format: 2, chunks: [2 ** 20], fill_value: 0, order: "C", compressor: null, filters: null };
  // Each row, or column, has as many entries as may be read at once.
  const size = 2 ** 16;
  const pointers = BigInt64Array.from({ length: size + 1 }, (_, i) => BigInt((i * entries) / size));
  const matrix = { "encoding-version": "0.1.0", shape: [size, size] };
  const group = json({ zarr_format: 2 });
  const frame = { "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "_index", "column-order": [] };
  const names = { ...array, chunks: [1000], dtype: "|O", fill_value: "", filters: [{ id: "vlen-utf8" }] };
  const axis = (name: string, length: number) =>
    [
      [`${name}/.zgroup`, group],
      [`${name}/.zattrs`, json(frame)],
      [`${name}/_index/.zarray`, json({ ...names, shape: [length] })],
      [`${name}/_index/.zattrs`, json({ "encoding-type": "string-array", "encoding-version": "0.2.0" })],
    ] as const;
  const store = (kind: string) =>
    new Map([
      ...axis("obs", size),
      ...axis("var", size),
      [".zgroup", group],
      [".zattrs", json({ "encoding-type": "anndata", "encoding-version": "0.1.0" })],
      ["layers/.zgroup", group],
      ["layers/many/.zgroup", group],
      ["layers/many/.zattrs", json({ ...matrix, "encoding-type": kind })],
      ["layers/many/data/.zarray", json({ ...array, shape: [entries], dtype: "|i1" })],
      ["layers/many/indices/.zarray", json({ ...array, shape: [entries], dtype: "<i8" })],
      ["layers/many/indptr/.zarray", json({ ...array, shape: [size + 1], chunks: [size + 1], dtype: "<i8" })],
      ["layers/many/indptr/0", new Uint8Array(pointers.buffer)],
    ]);
  for (const kind of ["csr_matrix", "csc_matrix"]) {
    const data = await open(store(kind));
    expect(data.table("layers/many").rows).toBe(entries);
    await expect(writeBytes("h5ad", data)).rejects.toSatisfy(isRefused);
    await data.close();
  }
});

test("codes of an old file are not looked through without end", async () => {
  await expect(open(`${FOLDER}/declared_codes.h5ad`)).rejects.toThrow(
    "obs: it declares 2000000000 rows, and more than 16777216 bytes of them are stored nowhere",
  );
});

test.each([
  ["declared_texts.h5ad", "uns/wide", 20_000],
  ["declared_chars.mat", "chars", 131_071],
])("wide texts of %s come some rows at a time", async (file, name, rows) => {
  const data = await open(`${FOLDER}/${file}`);
  const table = data.table(name);
  expect(table.rows).toBe(rows);
  for await (const batch of table.batches()) {
    expect(batch.numRows).toBeLessThan(2000);
    expect(batch.getChildAt(0)?.get(0)).toMatch(/^\0*$/);
    break;
  }
  await expect(convert(`${FOLDER}/${file}`, join(folder, "wide.parquet"), { tables: [name] })).rejects.toSatisfy(
    isRefused,
  );
  await data.close();
});

test("zeros that are looked through hear a signal", async () => {
  const json = (value: object) => new TextEncoder().encode(JSON.stringify(value));
  const array = {
    zarr_format: 2,
    shape: [2 ** 30, 2 ** 16],
    chunks: [16, 2 ** 16],
    dtype: "<f8",
    fill_value: 0,
    order: "C",
  };
  const dense = { "encoding-type": "array", "encoding-version": "0.2.0" };
  const store = new Map([
    [".zgroup", json({ zarr_format: 2 })],
    [".zattrs", json({ "encoding-type": "anndata", "encoding-version": "0.1.0" })],
    ["obs/.zgroup", json({ zarr_format: 2 })],
    ["uns/.zgroup", json({ zarr_format: 2 })],
    ["uns/.zattrs", json({ "encoding-type": "dict", "encoding-version": "0.1.0" })],
    ["uns/a/.zarray", json({ ...array, compressor: null, filters: null })],
    ["uns/a/.zattrs", json(dense)],
  ]);
  const data = await open(store);
  const zeros = (await data.table("uns/a").layout("coordinate")).batches({ signal: AbortSignal.timeout(300) });
  const began = performance.now();
  await expect(zeros[Symbol.asyncIterator]().next()).rejects.toThrow(/timeout/);
  expect(performance.now() - began).toBeLessThan(10_000);
});

test("references that lead nowhere count as objects", async () => {
  await expect(open(`${FOLDER}/declared_references.mat`)).rejects.toThrow(
    /leads to more than 65536 objects, attributes and links; the option maxObjects/,
  );
});

test("categories that are stored nowhere are not made", async () => {
  const data = await open(`${FOLDER}/declared_categories.h5ad`);
  await expect(data.table("obs").read()).rejects.toThrow(
    "obs/kind/categories: more than 1048576 bytes of the categories are stored nowhere",
  );
  await data.close();
});

test("an object of more words than any has is not read to see that", async () => {
  const before = process.resourceUsage().maxRSS;
  const data = await open(`${FOLDER}/declared_words.mat`);
  expect(data.warnings).toEqual([expect.stringMatching(/^words: string as it is stored/)]);
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(2 ** 20);
  await data.close();
});

test("a dense layer that is stored nowhere is not written without end", async () => {
  const json = (value: object) => new TextEncoder().encode(JSON.stringify(value));
  const array = { zarr_format: 2, fill_value: 0, order: "C", compressor: null, filters: null };
  const dense = json({ "encoding-type": "array", "encoding-version": "0.2.0" });
  const group = json({ zarr_format: 2 });
  const frame = json({
    "encoding-type": "dataframe",
    "encoding-version": "0.2.0",
    _index: "_index",
    "column-order": [],
  });
  const store = (cells: number, genes: number) => {
    const axis = (name: string, length: number) =>
      [
        [`${name}/.zgroup`, group],
        [`${name}/.zattrs`, frame],
        [`${name}/_index/.zarray`, json({ ...array, shape: [length], chunks: [length], dtype: "<i4" })],
        [`${name}/_index/.zattrs`, dense],
        [`${name}/_index/0`, new Uint8Array(Int32Array.from({ length }, (_, i) => i).buffer)],
      ] as const;
    return new Map([
      ...axis("obs", cells),
      ...axis("var", genes),
      [".zgroup", group],
      [".zattrs", json({ "encoding-type": "anndata", "encoding-version": "0.1.0" })],
      ["layers/.zgroup", group],
      ["layers/zeros/.zarray", json({ ...array, shape: [cells, genes], chunks: [16, genes], dtype: "<f4" })],
      ["layers/zeros/.zattrs", dense],
    ]);
  };
  const vast = await open(store(2 ** 20, 2 ** 20));
  await expect(writeBytes("h5ad", vast)).rejects.toSatisfy(isRefused);
  await vast.close();
  // Layers of zeros alone are usual: they may have more bytes than other values that are stored nowhere.
  const usual = await open(store(2 ** 14, 2 ** 13));
  expect((await writeBytes("h5ad", usual)).length).toBeGreaterThan(0);
  await usual.close();
});
