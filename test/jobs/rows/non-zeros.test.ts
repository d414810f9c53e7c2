import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changePlanLayout, selectEntries } from "../../../src/jobs/plan/matrix-plan.js";
import type { TablePlan } from "../../../src/jobs/plan/plan.js";
import { NonZeroCollector } from "../../../src/jobs/rows/non-zero-collector.js";
import { InvalidInputError } from "../../../src/model/errors.js";
import type { StoredType } from "../../../src/model/stored.js";
import { bitsOf, type Plain } from "../../arrow/plain.js";
import { blockArray } from "../../matrix-blocks.js";
import { memoryArray } from "../../stored-array.js";
import { columnsPlan, rowsIn, rowsOf } from "../plans.js";

const FLOAT64: StoredType = { kind: "float", bits: 64 };
const float = (value: number) => bitsOf(Float64Array.of(value), 0);

const matrices = fc
  .record({
    height: fc.integer({ min: 0, max: 20 }),
    width: fc.integer({ min: 0, max: 14 }),
    chunk: fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 6 })),
    blocks: fc.boolean(),
  })
  .chain(({ height, width, chunk, blocks }) =>
    fc.record({
      ...{ height: fc.constant(height), width: fc.constant(width), chunk: fc.constant(chunk) },
      blocks: fc.constant(blocks),
      values: fc.array(fc.constantFrom(0, 0, 0, -0, 1.5, Number.NaN), {
        minLength: height * width,
        maxLength: height * width,
      }),
    }),
  );
type Random = typeof matrices extends fc.Arbitrary<infer T> ? T : never;

const made = ({ height, width, chunk, blocks, values }: Random): TablePlan => {
  const numbers = Float64Array.from(values);
  const shape = [height, width] as const;
  return columnsPlan({
    kind: "array",
    array: blocks
      ? blockArray(FLOAT64, shape, numbers, chunk)
      : memoryArray(FLOAT64, shape, { kind: "fixed", values: numbers }, { chunks: chunk }),
  });
};

const entries = ({ width, values }: Random): Plain[][] =>
  values.flatMap((value, i) => (Object.is(value, 0) ? [] : [[Math.floor(i / width), i % width, float(value)]]));

const positions = (size: number) => fc.option(fc.array(fc.nat(Math.max(0, size - 1)), { maxLength: size && 9 }));
const selections = matrices.chain((random) =>
  fc.record({ random: fc.constant(random), row: positions(random.height), col: positions(random.width) }),
);

describe("a dense matrix, whether or not its chunks come one by one,", () => {
  test("has its non-zeros in row order, in any batches and over any rows of the table", async () => {
    await fc.assert(
      fc.asyncProperty(
        matrices,
        fc.integer({ min: 1, max: 600 }),
        fc.nat(60),
        fc.nat(60),
        async (random, batchBytes, a, b) => {
          const expected = entries(random);
          expect(await rowsIn(made(random), "coordinate", { batchBytes })).toEqual(expected);
          const [start, end] = [Math.min(a, b, expected.length), Math.min(Math.max(a, b), expected.length)];
          const part = await rowsIn(made(random), "coordinate", { batchBytes, rows: [start, end] });
          expect(part).toEqual(expected.slice(start, end));
        },
      ),
      { numRuns: 200 },
    );
  });

  test("gives those at some positions", async () => {
    await fc.assert(
      fc.asyncProperty(selections, fc.constantFrom(40, 1 << 20), async ({ random, row, col }, batchBytes) => {
        const plan = await changePlanLayout(made(random), "coordinate");
        const where = { ...(row === null ? {} : { row }), ...(col === null ? {} : { col }) };
        const { rows } = await rowsOf(selectEntries(plan, where), { batchBytes });
        expect(rows).toEqual(
          entries(random).filter(([r, c]) => (row?.includes(Number(r)) ?? true) && (col?.includes(Number(c)) ?? true)),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("gives some of its columns", async () => {
    await fc.assert(
      fc.asyncProperty(
        matrices,
        fc.array(fc.nat(13), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 300 }),
        async (random, cols, batchBytes) => {
          fc.pre(random.width > 0);
          const fields = [...new Set(cols.map((col) => col % random.width))];
          const expected = Array.from({ length: random.height }, (_, row) =>
            fields.map((col) => float(random.values[row * random.width + col])),
          );
          expect(await rowsIn(made(random), "columns", { fields, batchBytes })).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });
});

const INT8: StoredType = { kind: "int", bits: 8, signed: true };
const ones = (height: number, width: number, chunk: readonly [number, number]) =>
  blockArray(INT8, [height, width], new Int8Array(height * width).fill(1), chunk);

describe("of a matrix whose chunks come one by one", () => {
  test("each is decoded once, whatever the batches", async () => {
    const array = ones(64, 40, [16, 10]);
    const rows = await rowsIn(columnsPlan({ kind: "array", array }), "coordinate", { batchBytes: 64 });
    expect(rows).toHaveLength(64 * 40);
    expect(array.reads).toEqual([]);
    expect(array.decoded).toHaveLength(16);
    expect(new Set(array.decoded.map(String)).size).toBe(16);
  });

  test("one row costs its band, one column its column of chunks", async () => {
    const array = ones(64, 40, [16, 10]);
    const plan = await changePlanLayout(columnsPlan({ kind: "array", array }), "coordinate");
    expect((await rowsOf(selectEntries(plan, { row: [20] }))).rows).toHaveLength(40);
    expect(array.decoded.toSorted()).toEqual([
      [16, 0],
      [16, 10],
      [16, 20],
      [16, 30],
    ]);
    array.decoded.length = 0;
    expect((await rowsOf(selectEntries(plan, { col: [25] }))).rows).toHaveLength(64);
    expect(array.decoded).toEqual([48, 32, 16, 0].map((row) => [row, 20]));
    array.decoded.length = 0;
    expect(await rowsIn(columnsPlan({ kind: "array", array }), "columns", { fields: [39] })).toHaveLength(64);
    expect(array.decoded).toEqual([48, 32, 16, 0].map((row) => [row, 30]));
  });

  test("distant columns do not cost what lies between them", async () => {
    const array = ones(16, 100, [16, 10]);
    const plan = await changePlanLayout(columnsPlan({ kind: "array", array }), "coordinate");
    await rowsOf(selectEntries(plan, { col: [3, 12, 99] }));
    expect(array.decoded.map(([, col]) => col).toSorted((a, b) => a - b)).toEqual([0, 10, 90]);
  });

  test("most columns are read as rows", async () => {
    const array = ones(16, 20, [16, 10]);
    await rowsIn(columnsPlan({ kind: "array", array }), "columns", { fields: [0, 10] });
    expect(array.decoded).toEqual([]);
    expect(array.reads).toEqual([[0, 16]]);
  });
});

describe("a band", () => {
  test("gives up its last rows where its entries take too much memory, but never the first", () => {
    const values = Int32Array.from({ length: 8 * 6 }, (_, i) => i + 1);
    const array = blockArray({ kind: "int", bits: 32, signed: true }, [8, 6], values, [8, 2]);
    const band = new NonZeroCollector(4, 100);
    const seen: number[] = [];
    const held: number[] = [];
    const read = async (first: number) => {
      band.begin(first, 8);
      await array.capabilities?.blocks?.({ rows: [first, 8], cols: [0, 6] }, (block) => band.add(block, null, null));
      const counts = band.finish();
      expect(Array.from(counts)).toEqual(Array.from({ length: band.end - first }, () => 6));
      const columns = new Int32Array(6 * counts.length);
      const found = new Int32Array(6 * counts.length);
      band.take([first, band.end], columns, found);
      expect(Array.from(columns)).toEqual(counts.length === 0 ? [] : Array.from(columns, (_, i) => i % 6));
      seen.push(...found);
      held.push(band.end);
      if (band.end < 8) await read(band.end);
    };
    return read(0).then(() => {
      expect(seen).toEqual(Array.from(values));
      expect(held).toEqual([2, 3, 5, 6, 8]);
    });
  });
});

test("positions can be selected once, in a matrix alone", async () => {
  const plan = await changePlanLayout(columnsPlan({ kind: "array", array: ones(3, 3, [2, 2]) }), "coordinate");
  const selected = selectEntries(plan, { row: [1] });
  await expect(changePlanLayout(selected, "dense")).rejects.toThrow(InvalidInputError);
  expect(() => selectEntries(selected, { col: [1] })).toThrow(InvalidInputError);
  expect(() => selectEntries(plan, { col: [3] })).toThrow("col 3 was asked for, there are 0 … 2");
});
