import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Column } from "../../../src/arrow/column.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import type { TableMetadata } from "../../../src/model/dataset.js";
import type { NumberArray } from "../../../src/model/stored.js";
import type { ColumnTable } from "../../../src/tables/column-table.js";
import { crossCheck } from "../../containers/hdf5/cross-check.js";
import { bools, floats, ints, lists, names, table, text } from "../tables.js";
import { matrix, written, writtenBytes } from "./write.js";

interface Entry {
  readonly row: number;
  readonly col: number;
  readonly value: number;
}

function coordinates(entries: readonly Entry[], metadata: TableMetadata | null, name = "matrix"): ColumnTable {
  const columns = {
    row: ints(Int32Array.from(entries, ({ row }) => row)),
    col: ints(Int32Array.from(entries, ({ col }) => col)),
    value: floats(Float64Array.from(entries, ({ value }) => value)),
  };
  return table(name, [columns], metadata ? { metadata } : {});
}

const sparse = (rows: number, cols: number, order: "row" | "column" | null): TableMetadata => ({
  kind: order === "column" ? "csc_matrix" : "csr_matrix",
  shape: [rows, cols],
  order,
});

/** All values in C order. */
function dense(rows: number, cols: number, entries: readonly Entry[]): number[] {
  const values = Array<number>(rows * cols).fill(0);
  for (const { row, col, value } of entries) values[row * cols + col] = value;
  return values;
}

describe("a matrix", () => {
  test.each<[string, NumberArray, Column]>([
    ["uint8", Uint8Array.of(0, 255), ints(Uint8Array.of(0, 255))],
    ["int64", BigInt64Array.of(-(2n ** 63n), 1n), ints(BigInt64Array.of(-(2n ** 63n), 1n))],
    ["float32", Float32Array.of(NaN, -0), floats(Float32Array.of(NaN, -0))],
  ])("of rows keeps its type: %s", async (_, values, column) => {
    const { file, tables } = await written([table("matrix", [{ value: lists(2, column) }])]);
    expect(tables).toEqual([{ name: "matrix", rows: 1 }]);
    expect(await file.shape("matrix")).toEqual([1, 2]);
    expect(JSON.stringify(await file.values("matrix"))).toBe(
      JSON.stringify(
        Array.from<number | bigint, unknown>(values, (value) =>
          Number.isNaN(value) ? "nan" : typeof value === "bigint" && value < -(2n ** 53n) ? `${value}n` : Number(value),
        ),
      ),
    );
  });

  test("of booleans is written as uint8, with a warning", async () => {
    const { file, warnings } = await written([table("matrix", [{ value: lists(2, bools(true, false)) }])]);
    expect(await file.type("matrix")).toEqual({ kind: "int", bits: 8, signed: false });
    expect(await file.values("matrix")).toEqual([1, 0]);
    expect(warnings).toEqual(["matrix: booleans are written as 0 and 1"]);
  });

  test("and layers of other types lie in chunks of 64 x 64, which cells can be added to", async () => {
    const layer = table("layers/spliced", [
      { value: lists(100, ints(Int32Array.from({ length: 7000 }, (_, i) => i))) },
    ]);
    const { bytes } = await writtenBytes([matrix(70, 100), layer]);
    const found = await crossCheck(createBytesSource(bytes), bytes);
    expect(found.different).toEqual([]);
    const { file } = await written([matrix(70, 100), layer]);
    for (const path of ["matrix", "layers/spliced"]) {
      const node = await file.node(path);
      expect(node.kind === "array" ? node.chunks : null).toEqual([64, 64]);
      expect(node.kind === "array" ? node.shape : null).toEqual([70, 100]);
    }
  });

  test("from entries in any order is the same, at every size", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 150 }),
        fc.integer({ min: 0, max: 150 }),
        fc.constantFrom("row", "column", null),
        fc.integer({ min: 0, max: 2 ** 31 }),
        async (rows, cols, order, seed) => {
          const entries: Entry[] = [];
          let state = seed;
          for (let i = 0; i < rows * cols; i++) {
            state = (Math.imul(state, 1103515245) + 12345) >>> 0;
            if (state % 23 === 0) entries.push({ row: Math.floor(i / cols), col: i % cols, value: (state % 1000) + 1 });
          }
          if (order === "column") entries.sort((a, b) => a.col - b.col);
          if (order === null) entries.sort((a, b) => ((a.value * 7919) % 13) - ((b.value * 7919) % 13));
          const { file, tables } = await written([coordinates(entries, sparse(rows, cols, order))]);
          expect(tables[0].rows).toBe(entries.length);
          expect(await file.shape("matrix")).toEqual([rows, cols]);
          expect(await file.values("matrix")).toEqual(dense(rows, cols, entries));
        },
      ),
      { numRuns: 40 },
    );
  });

  test("from entries keeps NaN, -0 and the bits of every value; chunks of zeros alone are left out", async () => {
    const entries: Entry[] = [
      { row: 0, col: 0, value: -0 },
      { row: 199, col: 0, value: Number.NaN },
      { row: 5, col: 199, value: 5e-324 },
    ];
    for (const order of ["column", null] as const) {
      const { bytes } = await writtenBytes([coordinates(entries, sparse(200, 200, order))]);
      const found = await crossCheck(createBytesSource(bytes), bytes);
      expect(found.different).toEqual([]);
      const { file } = await written([coordinates(entries, sparse(200, 200, order))]);
      const values = await file.values("matrix");
      if (!Array.isArray(values)) throw new Error("values expected");
      expect(Object.is(values[0], -0)).toBe(true);
      expect(values[199 * 200]).toBe("nan");
      expect(values[5 * 200 + 199]).toBe(5e-324);
      expect(values.filter((value) => value !== 0)).toHaveLength(2);
      // All 16 chunks would be 50 times as much as the three that there are.
      expect(bytes.length).toBeLessThan(20_000);
    }
  });

  test("adds up entries at one place, with a warning", async () => {
    const at = { row: 1, col: 1 };
    const entries = [
      { ...at, value: 2 },
      { ...at, value: 3 },
      { ...at, value: -1 },
    ];
    const { file, warnings } = await written([coordinates(entries, sparse(2, 2, "column"))]);
    expect(await file.values("matrix")).toEqual([0, 0, 0, 4]);
    expect(warnings).toEqual(["matrix: there are several entries at one place; they are added up"]);
    const bytes = table(
      "matrix",
      [{ row: ints(Int32Array.of(0, 0)), col: ints(Int32Array.of(0, 0)), value: ints(Uint8Array.of(200, 100)) }],
      { metadata: sparse(1, 1, "row") },
    );
    await expect(written([bytes])).rejects.toThrow(/matrix: several entries at one place make 300/);
  });

  test("takes its shape from attributes, or from the caller", async () => {
    const entries = [{ row: 1, col: 2, value: 5 }];
    const { file } = await written([
      coordinates(entries, null),
      table("row_attrs", [{ Gene: names(2, "g") }]),
      table("col_attrs", [{ CellID: names(3, "c") }]),
    ]);
    expect(await file.values("matrix")).toEqual([0, 0, 0, 0, 0, 5]);
    const given = await written([coordinates(entries, null)], { shape: [2, 4] });
    expect(await given.file.shape("matrix")).toEqual([2, 4]);
    await expect(written([coordinates(entries, null)])).rejects.toThrow(/matrix: nothing says how many rows it has/);
  });
});

describe("what is refused", () => {
  test("a file without a matrix", async () => {
    await expect(written([table("row_attrs", [{ Gene: names(2, "g") }])])).rejects.toThrow(
      /matrix: a Loom file has one/,
    );
    await expect(written([matrix(1, 1, "layers/a")])).rejects.toThrow(/choose one, as layers\/a/);
  });

  test("a layer of another shape", async () => {
    await expect(written([matrix(2, 3), matrix(2, 4, "layers/a")])).rejects.toThrow(
      /layers\/a: shape \[2,4\], the matrix has \[2,3\]/,
    );
  });

  test("entries outside the shape, or out of the order that is promised", async () => {
    const outside = [{ row: 2, col: 0, value: 1 }];
    for (const order of ["row", "column", null] as const) {
      await expect(written([coordinates(outside, sparse(2, 2, order))])).rejects.toThrow(
        /matrix: row of entry 0 is 2, outside 0 … 1/,
      );
    }
    const back = [
      { row: 0, col: 1, value: 1 },
      { row: 0, col: 0, value: 1 },
    ];
    await expect(written([coordinates(back, sparse(2, 2, "column"))])).rejects.toThrow(/col of entry 1 is 0 after 1/);
  });

  test("text, and missing values", async () => {
    await expect(written([table("matrix", [{ value: lists(1, text("a")) }])])).rejects.toThrow(
      /matrix: a matrix of Utf8; Loom's hold numbers/,
    );
    const missing = table("matrix", [{ value: lists(2, floats(Float32Array.of(1, 2), 1)) }]);
    await expect(written([missing])).rejects.toThrow(/matrix: 1 of 2 values are missing.*fill them in.*NaN/);
    const { file } = await written([missing], { lossy: true });
    expect(await file.values("matrix")).toEqual([1, "nan"]);
    await expect(
      written([table("matrix", [{ value: lists(2, ints(Int8Array.of(1, 2), 1)) }])], { lossy: true }),
    ).rejects.toThrow(/1 of 2 values are missing.*fill them in/);
  });
});
