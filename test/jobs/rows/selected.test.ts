import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { selectEntries } from "../../../src/jobs/plan/matrix-plan.js";
import { InvalidInputError } from "../../../src/model/errors.js";
import { rowsOf, sparse, sparsePlan } from "../plans.js";

const SIZE = 12;

/** A matrix of SIZE x SIZE with any entries, duplicates and unsorted ones among them. */
const matrices = fc
  .record({
    order: fc.constantFrom("row" as const, "column" as const),
    lists: fc.array(fc.array(fc.nat(SIZE - 1), { maxLength: 9 }), { minLength: SIZE, maxLength: SIZE }),
    chunk: fc.constantFrom(undefined, 1, 4, 100),
    wide: fc.boolean(),
  })
  .map(({ order, lists, chunk, wide }) => {
    const pointers = [0];
    for (const list of lists) pointers.push(pointers[pointers.length - 1] + list.length);
    const ints = (values: number[]) => (wide ? BigInt64Array.from(values, BigInt) : Int32Array.from(values));
    const data = Float32Array.from({ length: pointers[SIZE] }, (_, i) => i / 4);
    return sparse(order, [SIZE, SIZE], { data, indices: ints(lists.flat()), indptr: ints(pointers) }, chunk);
  });

const positions = fc.option(fc.array(fc.nat(SIZE - 1), { maxLength: 8 }), { nil: undefined });

describe("selected entries", () => {
  test("are those of the whole table at these positions, in stored order", async () => {
    await fc.assert(
      fc.asyncProperty(
        matrices,
        positions,
        positions,
        fc.constantFrom(64, 1 << 20),
        async (matrix, row, col, bytes) => {
          const plan = sparsePlan(matrix);
          const where = { ...(row === undefined ? {} : { row }), ...(col === undefined ? {} : { col }) };
          const all = (await rowsOf(plan)).rows;
          const { rows } = await rowsOf(selectEntries(plan, where), { batchBytes: bytes });
          expect(rows).toEqual(
            all.filter(([r, c]) => (row?.includes(Number(r)) ?? true) && (col?.includes(Number(c)) ?? true)),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test("of some columns of the table", async () => {
    const matrix = sparse("row", [2, 3], {
      data: Int32Array.of(7, 8, 9),
      indices: Int32Array.of(0, 2, 2),
      indptr: Int32Array.of(0, 2, 3),
    });
    const { rows } = await rowsOf(selectEntries(sparsePlan(matrix), { col: [2] }), { fields: [2, 0] });
    expect(rows).toEqual([
      [8, 0],
      [9, 1],
    ]);
  });

  test("at no position are an empty batch with all columns", async () => {
    const matrix = sparse("row", [2, 3], {
      data: Int32Array.of(7),
      indices: Int32Array.of(0),
      indptr: Int32Array.of(0, 1, 1),
    });
    expect(await rowsOf(selectEntries(sparsePlan(matrix), { row: [] }))).toEqual({ rows: [], batches: 1 });
  });
});

describe("what is read", () => {
  const LENGTH = 100_000;
  const make = () =>
    sparse(
      "row",
      [1000, 500],
      {
        data: Float32Array.from({ length: LENGTH }, (_, i) => i),
        // Column 499 stands in one row alone.
        indices: Int32Array.from({ length: LENGTH }, (_, i) => (i === 54_321 ? 499 : i % 100)),
        indptr: Int32Array.from({ length: 1001 }, (_, i) => i * 100),
      },
      1000,
    );

  test("for one row of a row-compressed matrix is its chunk", async () => {
    const matrix = make();
    const { rows } = await rowsOf(selectEntries(sparsePlan(matrix), { row: [777] }));
    expect(rows).toHaveLength(100);
    expect(matrix.indices.reads).toEqual([[77_000, 78_000]]);
    expect(matrix.data.reads).toEqual([[77_000, 78_000]]);
    expect(matrix.indptr.reads.every(([start, end]) => end - start <= 1001)).toBe(true);
  });

  test("for one column is every index, but only the values of the chunks that have it", async () => {
    const matrix = make();
    const { rows } = await rowsOf(selectEntries(sparsePlan(matrix), { col: [499] }));
    expect(rows).toHaveLength(1);
    expect(matrix.indices.reads.reduce((sum, [start, end]) => sum + end - start, 0)).toBe(LENGTH);
    expect(matrix.data.reads).toEqual([[54_000, 55_000]]);
  });

  test("rows in one chunk decode it once", async () => {
    const matrix = make();
    await rowsOf(selectEntries(sparsePlan(matrix), { row: [772, 770, 779, 771] }));
    expect(matrix.data.reads).toEqual([[77_000, 78_000]]);
  });

  test("a slice of the list layout reads the pointers that it needs", async () => {
    const matrix = make();
    await rowsOf(sparsePlan(matrix, "list"), { rows: [500, 503] });
    expect(matrix.indptr.reads.every(([start, end]) => start >= 0 && end <= 1001)).toBe(true);
    expect(matrix.data.reads).toEqual([[50_000, 51_000]]);
  });
});

describe("positions that cannot be", () => {
  const plan = sparsePlan(
    sparse("row", [2, 3], { data: Int32Array.of(), indices: Int32Array.of(), indptr: Int32Array.of(0, 0, 0) }),
  );

  test.each([
    [{ row: [2] }, "X: row 2 was asked for, there are 0 … 1"],
    [{ col: [0, -1] }, "X: col -1 was asked for, there are 0 … 2"],
    [{ col: [0.5] }, "X: col 0.5 was asked for"],
  ])("%o is an error", (where, message) => {
    expect(() => selectEntries(plan, where)).toThrow(InvalidInputError);
    expect(() => selectEntries(plan, where)).toThrow(message);
  });

  test("other tables have no such positions", () => {
    expect(() => selectEntries({ ...plan, plan: { kind: "columns", columns: [] } }, { row: [0] })).toThrow(
      "X: positions can be selected in the coordinate layout of a matrix",
    );
  });
});
