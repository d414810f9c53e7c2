/** Sparse and dense matrices from every layout. */

import { describe, expect, test } from "vitest";
import type { Column } from "../../../src/arrow/column.js";
import { createField } from "../../../src/arrow/type.js";
import type { TableMetadata } from "../../../src/model/dataset.js";
import { bools, floats, ints, lists, table, tableOf, text } from "../tables.js";
import { frames, written } from "./write.js";

const csr = (more: object = {}): TableMetadata => ({ kind: "csr_matrix", shape: [4, 3], order: "row", ...more });

/** Entries as a batch. */
function entries(row: readonly number[], col: readonly number[], value: readonly number[]) {
  return {
    row: ints(Int32Array.from(row)),
    col: ints(Int32Array.from(col)),
    value: floats(Float32Array.from(value)),
  };
}

async function matrix(batches: readonly Record<string, Column>[], metadata?: TableMetadata, stream = false) {
  const X = table("X", batches, { stream, ...(metadata ? { metadata } : {}) });
  const { out, tables } = await written([...frames(4, 3), X]);
  const part = (name: string) => out.at(`X/${name}`);
  return { out, tables, data: part("data"), indices: part("indices"), indptr: part("indptr") };
}

describe("a sparse matrix", () => {
  const ordered = [entries([0, 0, 2], [2, 0, 1], [1, 0, 3]), entries([2, 3], [1, 2], [4, 5])];

  test("is compressed while it passes; explicit zeros, duplicates and the order within a row stay", async () => {
    const { out, data, indices, indptr, tables } = await matrix(ordered, csr());
    expect(out.at("X").attributes).toEqual({
      shape: [4n, 3n],
      "encoding-type": "csr_matrix",
      "encoding-version": "0.1.0",
    });
    expect(data).toEqual({ attributes: {}, type: "float32", announced: [5], values: [1, 0, 3, 4, 5], writes: 2 });
    expect(indices).toMatchObject({ attributes: {}, type: "int32", values: [2, 0, 1, 1, 2] });
    expect(indptr).toMatchObject({ attributes: {}, type: "int32", values: [0, 2, 2, 4, 5] });
    expect(tables.at(-1)).toEqual({ name: "X", rows: 5 });
  });

  test("keeps the stored types of its indices and pointers, but where they hold too little", async () => {
    const small = await matrix(ordered, csr({ indices: "uint8", indptr: "int64" }));
    expect(small.indices).toMatchObject({ type: "uint8", values: [2, 0, 1, 1, 2] });
    expect(small.indptr).toMatchObject({ type: "int64", values: [0n, 2n, 2n, 4n, 5n] });
    const wide = { ...csr({ indices: "int8" }), shape: [1, 200] };
    const one = table("uns/s", [entries([0], [199], [1])], { metadata: wide });
    const { out } = await written([...frames(1, 1), one]);
    expect(out.at("uns/s/indices")).toMatchObject({ type: "int32", values: [199] });
  });

  test("by column is CSC", async () => {
    const batch = entries([3, 0, 1], [0, 2, 2], [1, 2, 3]);
    const { out, indices, indptr } = await matrix([batch], { kind: "csc_matrix", shape: [4, 3], order: "column" });
    expect(out.at("X").attributes["encoding-type"]).toBe("csc_matrix");
    expect(indices.values).toEqual([3, 0, 1]);
    expect(indptr.values).toEqual([0, 1, 1, 3]);
  });

  test("that promises no order is sorted, its axes those of obs and var", async () => {
    const { data, indices, indptr, out } = await matrix([
      entries([2, 0], [1, 2], [3, 1]),
      entries([0, 3], [0, 2], [2, 5]),
    ]);
    expect(out.at("X").attributes.shape).toEqual([4n, 3n]);
    expect(data.values).toEqual([2, 1, 3, 5]);
    expect(indices.values).toEqual([0, 2, 1, 2]);
    expect(indptr.values).toEqual([0, 2, 2, 3, 4]);
  });

  test("that is in order without saying so is compressed while it passes, if it can be read twice", async () => {
    const rising = [entries([0, 0, 2], [0, 2, 1], [1, 0, 3]), entries([2, 3], [1, 2], [4, 5])];
    expect((await matrix(rising)).data).toMatchObject({ values: [1, 0, 3, 4, 5], writes: 2 });
    expect((await matrix(rising, undefined, true)).data).toMatchObject({ values: [1, 0, 3, 4, 5], writes: 1 });
    const unsorted = [entries([0, 0], [2, 0], [1, 2]), entries([1], [1], [3])];
    expect((await matrix(unsorted)).indices.values).toEqual([0, 2, 1]);
    const falling = [entries([0, 1], [2, 2], [1, 2]), entries([1], [1], [3])];
    expect((await matrix(falling)).indices.values).toEqual([2, 1, 2]);
  });

  test("may have positions of any width, and columns in any order", async () => {
    const { data, indices } = await matrix([
      { value: bools(true, false), col: ints(BigUint64Array.of(0n, 2n)), row: ints(Uint16Array.of(1, 3)) },
    ]);
    expect(data).toMatchObject({ type: "bool", values: [true, false] });
    expect(indices).toMatchObject({ type: "int32", values: [0, 2] });
  });

  test("comes from lists of entries without being expanded", async () => {
    const index = createField("index", { id: "Int", bits: 32, signed: true }, false);
    const value = createField("value", { id: "Float", bits: 32 }, false);
    const item = { id: "Struct", fields: [index, value] } as const;
    const type = { id: "List", item: createField("item", item, false) } as const;
    const list = (offsets: number[], at: number[], values: number[]): Column => ({
      layout: "list",
      type,
      length: offsets.length - 1,
      validity: null,
      offsets: Int32Array.from(offsets),
      child: {
        layout: "struct",
        type: item,
        length: at.length,
        validity: null,
        children: [ints(Int32Array.from(at)), floats(Float32Array.from(values))],
      },
    });
    const batches = [
      { length: 2, columns: [list([1, 3, 3], [9, 2, 0, 9], [9, 1, 2, 9])] },
      { length: 2, columns: [list([0, 1, 2], [1, 1], [3, 4])] },
    ];
    const rows = tableOf("X", [createField("entries", type, false)], batches, {
      metadata: csr({ layout: "list" }),
      rows: 4,
    });
    const { out } = await written([...frames(4, 3), rows]);
    expect(out.at("X/data")).toMatchObject({ announced: [null], values: [1, 2, 3, 4] });
    expect(out.at("X/indices").values).toEqual([2, 0, 1, 1]);
    expect(out.at("X/indptr").values).toEqual([0, 2, 2, 3, 4]);
  });

  test("without entries has pointers all the same", async () => {
    const { data, indptr } = await matrix([entries([], [], [])], csr());
    expect(data.values).toEqual([]);
    expect(indptr.values).toEqual([0, 0, 0, 0, 0]);
  });
});

describe("a dense matrix", () => {
  const dense = [1, 0, 2, 0, 0, 0, 0, 3, 0, 4, 0, 0];

  test("comes back from the coordinates of what is not zero", async () => {
    const metadata = { kind: "array", shape: [4, 3], layout: "coordinate" };
    const batches = [entries([0, 0], [0, 2], [1, 2]), entries([2, 3], [1, 0], [3, 4])];
    const { out, tables } = await written([...frames(4, 3), table("X", batches, { metadata })]);
    expect(out.at("X")).toMatchObject({ type: "float32", announced: [4, 3], values: dense });
    expect(tables.at(-1)).toEqual({ name: "X", rows: 4 });
  });

  test("comes from a column per column", async () => {
    const columns = (rows: readonly number[]) =>
      Object.fromEntries([0, 1, 2].map((k) => [`g${k}`, floats(Float64Array.from(rows, (row) => dense[row * 3 + k]))]));
    const { out } = await written([...frames(4, 3), table("layers/wide", [columns([0]), columns([1, 2, 3])])]);
    expect(out.at("layers/wide")).toMatchObject({ type: "float64", announced: [4, 3], values: dense });
  });

  test("names the variables by its columns where no table does", async () => {
    const [obs] = frames(2, 3);
    const wide = { CD3E: floats(Float64Array.of(1, 2)), MS4A1: floats(Float64Array.of(3, 4)) };
    const { out, warnings } = await written([obs, table("X", [wide]), table("raw/X", [wide])]);
    expect(out.at("var/_index")).toMatchObject({ values: ["CD3E", "MS4A1"] });
    expect(out.at("raw/var/_index")).toMatchObject({ values: ["CD3E", "MS4A1"] });
    expect(warnings).toEqual([]);
    const numbered = { 0: floats(Float64Array.of(1, 2)), 1: floats(Float64Array.of(3, 4)) };
    const positions = await written([obs, table("X", [numbered])]);
    expect(positions.out.at("var/_index")).toMatchObject({ values: ["0", "1"] });
    expect(positions.warnings).toEqual([expect.stringContaining("var: nothing names the 2 rows")]);
  });

  describe("with a column of names", () => {
    const batch = (...cells: string[]) => ({
      g1: floats(Float64Array.from(cells, (_, i) => i)),
      cell: text(...cells),
      g2: floats(Float64Array.from(cells, () => 7)),
    });

    test("names the observations by it where no table does", async () => {
      const { out, warnings } = await written([table("X", [batch("a", "b"), batch("c")], { counted: false })]);
      expect(out.at("X")).toMatchObject({ values: [0, 7, 1, 7, 0, 7] });
      expect(out.at("obs/_index")).toMatchObject({ values: ["a", "b", "c"] });
      expect(out.at("var/_index")).toMatchObject({ values: ["g1", "g2"] });
      expect(warnings).toEqual([]);
    });

    test("refuses a row without a name", async () => {
      const unnamed = { g: floats(Float64Array.of(1, 2)), cell: text("a", null) };
      await expect(written([table("X", [unnamed])])).rejects.toThrow("X: row 1 has no name");
    });

    test("compares it with obs", async () => {
      const [obs] = frames(2, 0);
      const { out } = await written([table("X", [batch("c0", "c1")]), obs]);
      expect(out.at("obs/_index")).toMatchObject({ values: ["c0", "c1"] });
      await expect(written([obs, table("X", [batch("c1", "c0")])])).rejects.toThrow(
        'X: row 0 has the name "c1", in obs "c0": bring both into one order, or leave the names out',
      );
    });

    test("says of another matrix where they belong", async () => {
      await expect(written([...frames(1, 3), table("layers/a", [batch("c0")])])).rejects.toThrow(
        'layers/a: columns of one matrix are of one type: "g1" is Float64, "cell" is Utf8; a column of names belongs into obs',
      );
    });
  });

  test("of columns of several types is refused", async () => {
    const mixed = table("X", [{ a: ints(Int32Array.of(1)), b: floats(Float64Array.of(1)), c: text("x") }]);
    await expect(written([...frames(1, 3), mixed])).rejects.toThrow(
      'X: columns of one matrix are of one type: "a" is Int32, "b" is Float64',
    );
  });

  test("streams rows, as many as come", async () => {
    const batches = [0, 1, 2, 3].map((row) => ({
      value: lists(3, floats(Float64Array.from(dense.slice(row * 3, row * 3 + 3)))),
    }));
    const { out } = await written([...frames(4, 3), table("X", batches, { counted: false })]);
    expect(out.at("X")).toMatchObject({ announced: [null, 3], values: dense, writes: 4 });
  });
});

describe("records", () => {
  const metadata = { kind: "rec-array", shape: [2] };
  const rows = table("uns/r", [{ name: text("é", "abc"), score: floats(Float32Array.of(1, 2)) }], { metadata });

  test("are one array of structures", async () => {
    const { out } = await written([...frames(1, 1), rows]);
    expect(out.at("uns/r")).toMatchObject({
      attributes: { "encoding-type": "rec-array", "encoding-version": "0.2.0" },
      type: "{name: text, score: float32}",
      values: [
        { name: "é", score: 1 },
        { name: "abc", score: 2 },
      ],
    });
  });

  test("have text as wide as the longest in Zarr", async () => {
    const { out } = await written([...frames(1, 1), rows], { kind: "zarr2" });
    expect(out.at("uns/r").type).toBe("{name: text utf-32 12, score: float32}");
  });
});
