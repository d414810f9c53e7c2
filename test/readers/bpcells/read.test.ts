import { describe, expect, test } from "vitest";
import type { Dataset } from "../../../src/model/dataset.js";
import { open } from "../../formats/conversion/opened.js";
import {
  columnsOf,
  type Expected,
  expectedOf,
  FIXTURES,
  filesOf,
  numberFile,
  STORES,
  text,
  wordsOf,
} from "./stores.js";

async function compare(data: Dataset, prefix: string, expected: Expected): Promise<void> {
  const { shape, order, row, col, value } = expected;
  const matrix = data.table(`${prefix}matrix`);
  expect(matrix.metadata).toMatchObject({ kind: order === "row" ? "csr_matrix" : "csc_matrix", shape, order });
  expect(matrix.rows).toBe(value.length);
  expect(await columnsOf(data, `${prefix}matrix`)).toEqual({ row, col, value });
  for (const axis of ["row_names", "col_names"] as const) {
    const names = expected[axis];
    expect(data.tables.has(prefix + axis)).toBe(names !== null);
    if (names !== null) expect(await columnsOf(data, prefix + axis)).toEqual({ value: names });
  }
  expect([...data.failures]).toEqual([]);
}

describe("a directory", () => {
  test.each(STORES)("%s", async (store, version, type) => {
    const data = await open(`${FIXTURES}/${store}`);
    const expected = expectedOf(store);
    expect(data).toMatchObject({ format: "bpcells", container: "directory", version, shape: expected.shape });
    expect(String(data.table("matrix").schema.fields[2].type)).toBe(type);
    await compare(data, "", expected);
    await data.close();
  });

  test("in memory, with the newlines of Windows and none at the end", async () => {
    const files = filesOf("packed");
    for (const name of ["row_names", "col_names", "storage_order", "version"]) {
      const lines = new TextDecoder().decode(files.get(name)).replaceAll("\n", "\r\n");
      files.set(name, text(name === "row_names" ? lines.slice(0, -2) : lines));
    }
    await compare(await open(files), "", expectedOf("packed"));
  });

  test("what an earlier write left behind is not read", async () => {
    const files = filesOf("packed");
    files.set("val", numberFile("DOUBLEv1", new Float64Array(3)));
    files.set("index", numberFile("UINT32v1", new Uint32Array(3)));
    await compare(await open(files), "", expectedOf("packed"));
  });

  test("an axis of length 0 has one pointer, or two as BPCells writes them", async () => {
    for (const pointers of [1, 2]) {
      const files = filesOf("empty");
      files.set("shape", numberFile("UINT32v1", Uint32Array.of(37, 0)));
      files.set("idxptr", numberFile("UINT64v1", new BigUint64Array(pointers)));
      const data = await open(files);
      expect(data.shape).toEqual([37, 0]);
      expect(await columnsOf(data, "matrix")).toEqual({ row: [], col: [], value: [] });
    }
  });

  test("rows in no order, and twice, stay so", async () => {
    const files = filesOf("unpacked-float");
    const index = wordsOf(files.get("index") ?? text(""));
    index.set([9, 2, 2]);
    files.set("index", numberFile("UINT32v1", index));
    const { row, ...same } = expectedOf("unpacked-float");
    await compare(await open(files), "", { ...same, row: [9, 2, 2, ...row.slice(3)] });
  });

  test("names that are not UTF-8 can be read as Latin-1", async () => {
    const files = filesOf("packed");
    const names = files.get("row_names") ?? text("");
    names[0] = 0xe9;
    await expect((await open(files)).table("row_names").read()).rejects.toThrow(/not UTF-8/);
    const { value } = await columnsOf(await open(files, { text: "latin1" }), "row_names");
    expect(value[0]).toBe("éene0");
  });
});

describe("parts of a matrix", () => {
  test("ranges of entries, within chunks and across them", async () => {
    const data = await open(`${FIXTURES}/packed`);
    const { row, value } = expectedOf("packed");
    for (const [start, end] of [
      [0, 1],
      [127, 129],
      [128, 256],
      [200, 729],
      [729, 729],
    ] as const) {
      const table = await data.table("matrix").read({ rows: [start, Math.min(end, value.length)] });
      expect([...(table.getChild("row") ?? [])]).toEqual(row.slice(start, end));
      expect([...(table.getChild("value") ?? [])]).toEqual(value.slice(start, end));
    }
  });

  test("some columns, and some rows", async () => {
    const data = await open(`${FIXTURES}/packed`);
    const { row, col, value } = expectedOf("packed");
    for (const [where, isIn] of [
      [{ col: [3, 40] }, (i: number) => col[i] === 3 || col[i] === 40],
      [{ row: [0, 59] }, (i: number) => row[i] === 0 || row[i] === 59],
    ] as const) {
      const table = await data.table("matrix").read({ where });
      const places = value.map((_, i) => i).filter(isIn);
      expect(places.length).toBeGreaterThan(0);
      expect([...(table.getChild("value") ?? [])]).toEqual(places.map((i) => value[i]));
      expect([...(table.getChild("row") ?? [])]).toEqual(places.map((i) => row[i]));
    }
  });

  test("one row per column as a list of its entries", async () => {
    const data = await open(`${FIXTURES}/packed`);
    const { shape, value } = expectedOf("packed");
    const lists = await data.table("matrix").layout("list");
    expect(lists.rows).toBe(shape[1]);
    const table = await lists.read();
    const values = [...(table.getChild("entries") ?? [])].flatMap((list) => [...list].map((entry) => entry.value));
    expect(values).toEqual(value);
  });
});

describe("an HDF5 file", () => {
  test("with one store: no prefix, wherever it lies", async () => {
    const data = await open(`${FIXTURES}/one.h5`);
    expect(data).toMatchObject({ format: "bpcells", container: "hdf5", version: "unpacked-uint-matrix-v2" });
    await compare(data, "", expectedOf("one.h5"));
    await data.close();
  });

  test("with several: each under its group", async () => {
    const data = await open(`${FIXTURES}/several.h5`);
    expect(data.shape).toBeNull();
    expect([...data.tables.keys()].sort()).toEqual(
      [
        "adt/matrix",
        ...["col_names", "matrix", "row_names"].flatMap((name) => [`rna/counts/${name}`, `rna/data/${name}`]),
      ].sort(),
    );
    for (const group of ["adt", "rna/counts", "rna/data"]) {
      await compare(data, `${group}/`, expectedOf(`several.h5/${group}`));
    }
    await data.close();
  });

  test("one of several by its path", async () => {
    const data = await open(`${FIXTURES}/several.h5`, { path: "rna/counts" });
    await compare(data, "", expectedOf("several.h5/rna/counts"));
    await data.close();
  });
});
