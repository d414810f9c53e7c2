import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvalidDataError, InvalidInputError, UnsupportedError } from "../../../src/model/errors.js";
import type { NumberArray } from "../../../src/model/stored.js";
import { bitsOf, type Plain } from "../../arrow/plain.js";
import { memoryArray } from "../../stored-array.js";
import { rowsIn, rowsOf, sparse, sparsePlan } from "../plans.js";

type Entry = readonly [major: number, minor: number, value: number];

/** Entries of each major position: unsorted, with duplicates, explicit zeros and NaN. */
const matrices = fc
  .tuple(fc.constantFrom("row" as const, "column" as const), fc.nat(9), fc.integer({ min: 1, max: 7 }))
  .chain(([order, major, minor]) =>
    fc.record({
      order: fc.constant(order),
      major: fc.constant(major),
      minor: fc.constant(minor),
      lists: fc.array(
        fc.array(fc.tuple(fc.nat(minor - 1), fc.constantFrom(0, 1, -2, Number.NaN, 0.5)), { maxLength: 6 }),
        {
          minLength: major,
          maxLength: major,
        },
      ),
      chunk: fc.constantFrom(undefined, 1, 3, 64),
      wide: fc.boolean(),
    }),
  );
type Random = typeof matrices extends fc.Arbitrary<infer T> ? T : never;

const entriesOf = ({ lists }: Random): Entry[] =>
  lists.flatMap((list, major) => list.map(([minor, value]) => [major, minor, value] as const));

function made(random: Random) {
  const entries = entriesOf(random);
  const pointers = [0];
  for (const list of random.lists) pointers.push(pointers[pointers.length - 1] + list.length);
  const ints = (values: number[]): NumberArray =>
    random.wide ? BigInt64Array.from(values, (value) => BigInt(value)) : Int32Array.from(values);
  const { order, major, minor } = random;
  return sparse(
    order,
    order === "row" ? [major, minor] : [minor, major],
    {
      data: Float32Array.from(entries, ([, , value]) => value),
      indices: ints(entries.map(([, one]) => one)),
      indptr: ints(pointers),
    },
    random.chunk,
  );
}

const float = (value: number) => bitsOf(Float32Array.of(value), 0);
const coordinates = (random: Random): Plain[][] =>
  entriesOf(random).map(([major, minor, value]) =>
    random.order === "row" ? [major, minor, float(value)] : [minor, major, float(value)],
  );
const lists = (random: Random): Plain[][] =>
  random.lists.map((list) => [list.map(([index, value]) => ({ index, value: float(value) }))]);
/** As scipy's `toarray`: what stands twice is summed in stored order. */
function dense(random: Random): Plain[][] {
  const { order, major, minor } = random;
  const [height, width] = order === "row" ? [major, minor] : [minor, major];
  const sums = Array.from({ length: height }, () => new Float32Array(width));
  for (const [one, two, value] of entriesOf(random)) {
    const [row, col] = order === "row" ? [one, two] : [two, one];
    sums[row][col] += value;
  }
  return sums.map((row) => [Array.from(row, (_, col) => bitsOf(row, col))]);
}

const LAYOUTS = [
  ["coordinate", coordinates],
  ["list", lists],
  ["dense", dense],
] as const;

describe("a sparse matrix", () => {
  test.each(LAYOUTS)(
    "in layout %s is the slow reading of it, in any batches and over any rows",
    async (layout, slow) => {
      await fc.assert(
        fc.asyncProperty(
          matrices,
          fc.integer({ min: 1, max: 300 }),
          fc.nat(60),
          fc.nat(60),
          async (random, batchBytes, a, b) => {
            const plan = sparsePlan(made(random));
            const expected = slow(random);
            expect(await rowsIn(plan, layout, { batchBytes })).toEqual(expected);
            const [start, end] = [Math.min(a, b, expected.length), Math.min(Math.max(a, b), expected.length)];
            expect(await rowsIn(plan, layout, { batchBytes, rows: [start, end] })).toEqual(expected.slice(start, end));
          },
        ),
      );
    },
  );

  test("of pointers in several blocks is read across their borders", async () => {
    const rows = 2 ** 21 + 5;
    const indptr = new Int32Array(rows + 1);
    for (let i = 2 ** 20; i <= rows; i++) indptr[i] = i === 2 ** 20 ? 1 : i >= 2 ** 21 ? 4 : 2;
    indptr[rows] = 5;
    const matrix = sparse("row", [rows, 3], {
      data: Int8Array.of(1, 2, 3, 4, 5),
      indices: Uint8Array.of(0, 1, 2, 0, 1),
      indptr,
    });
    const expected = [
      [2 ** 20 - 1, 0, 1],
      [2 ** 20, 1, 2],
      [2 ** 21 - 1, 2, 3],
      [2 ** 21 - 1, 0, 4],
      [rows - 1, 1, 5],
    ];
    expect((await rowsOf(sparsePlan(matrix))).rows).toEqual(expected);
    expect((await rowsOf(sparsePlan(matrix), { rows: [2, 5] })).rows).toEqual(expected.slice(2));
    expect((await rowsOf(sparsePlan(matrix), { fields: [2], batchBytes: 1 })).rows).toEqual([[1], [2], [3], [4], [5]]);
    const list = await rowsOf(sparsePlan(matrix, "list"), { rows: [2 ** 20 - 1, 2 ** 20 + 1] });
    expect(list.rows).toEqual([[[{ index: 0, value: 1 }]], [[{ index: 1, value: 2 }]]]);
  });

  test("of Int64 coordinates where an axis passes 2^31", async () => {
    const matrix = sparse("row", [1, 2 ** 33], {
      data: Int8Array.of(7),
      indices: BigInt64Array.of(2n ** 32n),
      indptr: Int8Array.of(0, 1),
    });
    expect((await rowsOf(sparsePlan(matrix))).rows).toEqual([[0, 2n ** 32n, 7]]);
    await expect(rowsIn(sparsePlan(matrix), "dense")).rejects.toThrow(UnsupportedError);
  });

  test("reads no indices where only values are asked for, and no values for coordinates", async () => {
    const matrix = sparse("row", [1, 2], {
      data: Int8Array.of(7),
      indices: Int8Array.of(1),
      indptr: Int8Array.of(0, 1),
    });
    expect((await rowsOf(sparsePlan(matrix), { fields: [2] })).rows).toEqual([[7]]);
    expect(matrix.indices.reads).toEqual([]);
    const other = sparse("row", [1, 2], {
      data: Int8Array.of(7),
      indices: Int8Array.of(1),
      indptr: Int8Array.of(0, 1),
    });
    expect((await rowsOf(sparsePlan(other), { fields: [1, 0] })).rows).toEqual([[1, 0]]);
    expect(other.data.reads).toEqual([]);
  });

  test("of booleans is dense by or", async () => {
    const matrix = sparse("row", [1, 2], {
      data: Int8Array.of(0),
      indices: Int8Array.of(1, 1, 0),
      indptr: Int8Array.of(0, 3),
    });
    const data = memoryArray({ kind: "bool" }, [3], { kind: "fixed", values: Uint8Array.of(1, 1, 0) });
    expect(await rowsIn(sparsePlan({ ...matrix, data, nnz: 3 }), "dense")).toEqual([[[false, true]]]);
  });

  test("of halves or text has no dense rows", async () => {
    const matrix = sparse("row", [1, 2], {
      data: Int8Array.of(0),
      indices: Int8Array.of(1),
      indptr: Int8Array.of(0, 1),
    });
    const data = memoryArray({ kind: "float", bits: 16 }, [1], { kind: "fixed", values: Uint16Array.of(0x3c00) });
    expect((await rowsOf(sparsePlan({ ...matrix, data }))).rows).toEqual([[0, 1, "f16:3c00"]]);
    await expect(rowsIn(sparsePlan({ ...matrix, data }), "dense")).rejects.toThrow(InvalidInputError);
  });

  test("with a row that no memory holds has no such list", async () => {
    const many = 2 ** 28;
    const matrix = sparse("row", [1, 2], {
      data: new Int8Array(0),
      indices: new Int8Array(0),
      indptr: Int32Array.of(0, many),
    });
    const huge = {
      ...matrix,
      nnz: many,
      data: { ...matrix.data, shape: [many] },
      indices: { ...matrix.indices, shape: [many] },
    };
    await expect(rowsOf(sparsePlan(huge, "list"))).rejects.toThrow(UnsupportedError);
    expect(matrix.data.reads).toEqual([]);
  });
});

describe("pointers and indices that cannot be", () => {
  const ok = { data: Int8Array.of(1, 2, 3), indices: Int8Array.of(0, 1, 0) };
  test.each([
    [[0, 2, 1, 3], /indptr\[2\] is 1, smaller than 2/],
    [[1, 1, 2, 3], /starts at 1, not at 0/],
    [[0, -1, 2, 3], /indptr\[1\] is -1, smaller than 0/],
    [[-1, 0, 2, 3], /starts at -1/],
    [[0, 1, 2, 4], /indptr\[3\] is 4, there are 3 values/],
    [[0, 1, 1, 2], /indptr\[3\] is 2, there are 3 values/],
  ])("%j is an error that names them", async (pointers, message) => {
    for (const layout of ["coordinate", "list"] as const) {
      const plan = sparsePlan(sparse("row", [3, 2], { ...ok, indptr: Int32Array.from(pointers) }), layout);
      await expect(rowsOf(plan)).rejects.toThrow(message);
      await expect(rowsOf(plan)).rejects.toThrow(InvalidDataError);
      await expect(rowsOf(plan)).rejects.toMatchObject({ element: "X/indptr" });
    }
    const dense = sparsePlan(sparse("row", [3, 2], { ...ok, indptr: Int32Array.from(pointers) }), "dense");
    await expect(rowsOf(dense)).rejects.toThrow(InvalidDataError);
    for (const start of [0, 1, 2])
      await rowsOf(dense, { rows: [start, start + 1] }).catch((error) =>
        expect(error).toBeInstanceOf(InvalidDataError),
      );
  });

  test("pointers beyond 2^53 are an error", async () => {
    const plan = sparsePlan(sparse("row", [1, 2], { ...ok, indptr: BigUint64Array.of(0n, 2n ** 64n - 1n) }));
    await expect(rowsOf(plan)).rejects.toThrow(/Infinity, there are 3/);
  });

  test("pointers behind the last entry are checked too", async () => {
    const indptr = new Int32Array(2 ** 20 + 3).fill(3);
    indptr[0] = 0;
    indptr[2 ** 20 + 1] = 2;
    const plan = sparsePlan(sparse("row", [2 ** 20 + 2, 2], { ...ok, indptr }));
    await expect(rowsOf(plan)).rejects.toThrow(/indptr\[1048577\] is 2, smaller than 3/);
  });

  test("an index outside its axis is an error with its place", async () => {
    const plan = (indices: NumberArray) =>
      sparsePlan(sparse("column", [2, 1], { data: ok.data, indices, indptr: Int8Array.of(0, 3) }));
    await expect(rowsOf(plan(Int8Array.of(0, 1, 2)))).rejects.toThrow(/indices\[2\] is 2, outside 0 … 1/);
    await expect(rowsOf(plan(Int8Array.of(0, -1, 2)))).rejects.toMatchObject({ element: "X/indices" });
  });

  test("floats are no pointers and no indices", async () => {
    const plan = sparsePlan(sparse("row", [1, 2], { ...ok, indptr: Float64Array.of(0, 3) }));
    await expect(rowsOf(plan)).rejects.toThrow(/must be integers/);
    const other = sparsePlan(
      sparse("row", [1, 2], { ...ok, indices: Float32Array.of(0, 1, 0), indptr: Int8Array.of(0, 3) }),
    );
    await expect(rowsOf(other)).rejects.toThrow(/must be integers/);
  });
});
