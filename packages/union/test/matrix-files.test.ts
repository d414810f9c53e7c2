/** Entries of a matrix in the files of a union: stored rows, and any other matrix, beside a loop over the entries. */

import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { readParquet } from "parquet-wasm";
import { describe, expect, test } from "vitest";
import type { NumericType } from "../../../src/concat/common-type.js";
import type { SparsePlan } from "../../../src/jobs/plan/plan.js";
import { toStoredColumnTable } from "../../../src/tables/given/table-forms.js";
import { StoredTable } from "../../../src/tables/stored-table.js";
import { sparse, sparsePlan } from "../../../test/jobs/plans.js";
import { bytesOf } from "../../../test/sinks/dataset-of.js";
import { encodeMatrixFile } from "../src/matrix-files.js";

const ROWS = 9;
const GENES = 7;
const WIDTH = 11;

const FLOAT32: NumericType = { id: "Float", bits: 32 };
const FLOAT64: NumericType = { id: "Float", bits: 64 };

/** A matrix with any entries, duplicates and unsorted ones among them, and its places in a union. */
const cases = fc.record({
  order: fc.constantFrom("row" as const, "column" as const),
  lists: fc.array(fc.array(fc.nat(GENES - 1), { maxLength: 8 }), { minLength: ROWS, maxLength: ROWS }),
  columns: fc.uniqueArray(fc.nat(WIDTH - 1), { minLength: GENES, maxLength: GENES }),
  rises: fc.boolean(),
  start: fc.nat(ROWS),
  end: fc.nat(ROWS),
  first: fc.constantFrom(0, 5, 2 ** 40),
  type: fc.constantFrom(FLOAT32, FLOAT64),
  by: fc.constantFrom("csr" as const, "csc" as const),
});

function tableOf(matrix: SparsePlan) {
  const { order, shape } = matrix;
  const metadata = { kind: order === "row" ? "csr_matrix" : "csc_matrix", order, shape: [...shape] };
  return toStoredColumnTable(new StoredTable({ ...sparsePlan(matrix), metadata }, "x.h5ad"));
}

async function read(file: Awaited<ReturnType<typeof encodeMatrixFile>>): Promise<number[][]> {
  const table = tableFromIPC(readParquet(await bytesOf(file.chunks)).intoIPCStream());
  expect(String(table.schema.fields.slice(0, 2).map(({ type }) => type))).toBe("Int64,Int32");
  const columns = table.schema.fields.map((_, i) => [...(table.getChildAt(i) ?? [])].map(Number));
  return columns[0].map((_, i) => columns.map((column) => column[i]));
}

describe("the file of a matrix", () => {
  test("has the entries of its rows at their new places, sorted by row and column or the other way", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ order, lists, columns: places, rises, first, type, by, ...range }) => {
        const isByRow = order === "row";
        const columns = Int32Array.from(rises ? places.sort((a, b) => a - b) : places);
        // Of a matrix that is compressed by columns, all rows are read; its lists are those of the genes.
        const majors = isByRow ? lists : lists.slice(0, GENES);
        const within = (minor: number) => (isByRow ? minor : minor % ROWS);
        const [start, end] = isByRow ? [range.start, range.end].sort((a, b) => a - b) : [0, ROWS];
        const pointers = [0];
        for (const list of majors) pointers.push(pointers[pointers.length - 1] + list.length);
        const indices = Int32Array.from(majors.flat(), within);
        const data = Float32Array.from(indices, (_, i) => i + 1);
        const matrix = sparse(order, [ROWS, GENES], { data, indices, indptr: Int32Array.from(pointers) });
        const table = tableOf(matrix);
        const file = await encodeMatrixFile(table, "x.h5ad", {
          ...{
            type,
            order: by,
            width: WIDTH,
            columns,
            shape: [ROWS, GENES],
            rows: [start, end],
            first,
            signal: undefined,
          },
        });
        const expected: number[][] = [];
        let at = 0;
        for (const [major, list] of majors.entries()) {
          for (const minor of list) {
            const [row, gene] = isByRow ? [major, minor] : [within(minor), major];
            if (row >= start && row < end) expected.push([first + row - start, columns[gene], data[at]]);
            at++;
          }
        }
        // Entries of one place keep their order.
        const [outer, inner] = by === "csr" ? [0, 1] : [1, 0];
        expected.sort((a, b) => a[outer] - b[outer] || a[inner] - b[inner]);
        expect(await read(file)).toEqual(expected);
        const sum = expected.reduce((total, [, , value]) => total + value, 0);
        expect(file.totals()).toEqual({ rows: expected.length, sum });
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    { by: "csr", order: "row", type: FLOAT64 },
    { by: "csr", order: "column", type: FLOAT32 },
    { by: "csc", order: "row", type: FLOAT32 },
    { by: "csc", order: "row", type: FLOAT64 },
    { by: "csc", order: "column", type: FLOAT32 },
  ] as const)("has all of more entries than a batch has: $by of a matrix by $order, $type.bits bits", async (one) => {
    const { by, order, type } = one;
    // Every third place of each list has an entry, whose value tells the place.
    const [lists, places] = [700, 2400];
    const each = places / 3;
    const indices = Int32Array.from({ length: lists * each }, (_, i) => 3 * (i % each));
    const data = Float32Array.from(indices, (minor, i) => Math.floor(i / each) * places + minor);
    const indptr = Int32Array.from({ length: lists + 1 }, (_, i) => i * each);
    const shape = order === "row" ? ([lists, places] as const) : ([places, lists] as const);
    const table = tableOf(sparse(order, shape, { data, indices, indptr }));
    const columns = Int32Array.from({ length: shape[1] }, (_, i) => shape[1] - 1 - i);
    const place = { type, order: by, width: shape[1], columns, shape, rows: [0, shape[0]], first: 7 } as const;
    const found = await read(await encodeMatrixFile(table, "x.h5ad", { ...place, signal: undefined }));
    expect(found.length).toBe(lists * each);
    const wrong = found.find(([row, col, value]) => {
      const [r, c] = [row - 7, shape[1] - 1 - col];
      return value !== (order === "row" ? r * places + c : c * places + r);
    });
    expect(wrong).toBeUndefined();
    const [outer, inner] = by === "csr" ? [0, 1] : [1, 0];
    const late = found.findIndex(
      (entry, i) =>
        i > 0 &&
        (found[i - 1][outer] > entry[outer] ||
          (found[i - 1][outer] === entry[outer] && found[i - 1][inner] >= entry[inner])),
    );
    expect(late).toBe(-1);
  });

  test("is the same file, however its rows are read", async () => {
    const matrix = sparse("row", [2, 3], {
      data: Float32Array.of(7, 8, 9),
      indices: Int32Array.of(0, 2, 2),
      indptr: Int32Array.of(0, 2, 3),
    });
    const table = tableOf(matrix);
    const place = {
      type: FLOAT32,
      order: "csr" as const,
      width: 4,
      columns: Int32Array.of(3, 1, 0),
      first: 10,
      signal: undefined,
    };
    const stored = await bytesOf(
      (await encodeMatrixFile(table, "x.h5ad", { ...place, shape: [2, 3], rows: [0, 2] })).chunks,
    );
    const made = { ...table, batches: (options?: Parameters<typeof table.batches>[0]) => table.batches(options) };
    const slow = await bytesOf(
      (await encodeMatrixFile(made, "x.h5ad", { ...place, shape: [2, 3], rows: [0, 2] })).chunks,
    );
    expect(slow).toEqual(stored);
  });
});
