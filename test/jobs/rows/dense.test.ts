import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changePlanLayout, listLayouts } from "../../../src/jobs/plan/matrix-plan.js";
import type { TablePlan } from "../../../src/jobs/plan/plan.js";
import { InvalidInputError, UnsupportedError } from "../../../src/model/errors.js";
import type { StoredType, StoredValues } from "../../../src/model/stored.js";
import { bitsOf, type Plain } from "../../arrow/plain.js";
import { memoryArray, numbersArray, textArray } from "../../stored-array.js";
import { columnsPlan, rowsIn, sparse, sparsePlan } from "../plans.js";

const FLOAT64: StoredType = { kind: "float", bits: 64 };

const matrices = fc.tuple(fc.nat(8), fc.nat(6), fc.integer({ min: 1, max: 5 })).chain(([height, width, chunk]) =>
  fc.record({
    height: fc.constant(height),
    width: fc.constant(width),
    chunk: fc.constant(chunk),
    values: fc.array(fc.constantFrom(0, 0, -0, 1.5, Number.NaN), {
      minLength: height * width,
      maxLength: height * width,
    }),
  }),
);
type Random = typeof matrices extends fc.Arbitrary<infer T> ? T : never;

function made({ height, width, chunk, values }: Random): TablePlan {
  const array = memoryArray(
    FLOAT64,
    [height, width],
    { kind: "fixed", values: Float64Array.from(values) },
    { chunks: [chunk, 2] },
  );
  return columnsPlan({ kind: "array", array });
}

const float = (value: number) => bitsOf(Float64Array.of(value), 0);
const rowOf = ({ width, values }: Random, row: number): Plain[] =>
  values.slice(row * width, (row + 1) * width).map(float);
const coordinates = ({ width, values }: Random): Plain[][] =>
  values.flatMap((value, i) => (Object.is(value, 0) ? [] : [[Math.floor(i / width), i % width, float(value)]]));

describe("a dense matrix", () => {
  const layouts = [
    ["dense", (random: Random) => Array.from({ length: random.height }, (_, row) => [rowOf(random, row)])],
    ["columns", (random: Random) => Array.from({ length: random.height }, (_, row) => rowOf(random, row))],
    ["coordinate", coordinates],
  ] as const;
  test.each(layouts)(
    "in layout %s is the slow reading of it, in any batches and over any rows",
    async (layout, slow) => {
      await fc.assert(
        fc.asyncProperty(
          matrices,
          fc.integer({ min: 1, max: 200 }),
          fc.nat(40),
          fc.nat(40),
          async (random, batchBytes, a, b) => {
            const expected = slow(random);
            expect(await rowsIn(made(random), layout, { batchBytes })).toEqual(expected);
            const [start, end] = [Math.min(a, b, expected.length), Math.min(Math.max(a, b), expected.length)];
            expect(await rowsIn(made(random), layout, { batchBytes, rows: [start, end] })).toEqual(
              expected.slice(start, end),
            );
          },
        ),
      );
    },
  );

  test.each<[StoredType, StoredValues, Plain[][]]>([
    [
      { kind: "bool" },
      { kind: "fixed", values: Uint8Array.of(0, 1, 1, 0) },
      [
        [0, 1, true],
        [1, 0, true],
      ],
    ],
    [
      { kind: "int", bits: 64, signed: true },
      { kind: "fixed", values: BigInt64Array.of(0n, 2n ** 60n, 0n, 0n) },
      [[0, 1, 2n ** 60n]],
    ],
    [
      { kind: "float", bits: 16 },
      { kind: "fixed", values: Uint16Array.of(0x8000, 0, 0, 0x7e00) },
      [
        [0, 0, "f16:8000"],
        [1, 1, "f16:7e00"],
      ],
    ],
  ])("of %j keeps its type in all layouts", async (type, values, expected) => {
    const plan = columnsPlan({ kind: "array", array: memoryArray(type, [2, 2], values) });
    expect(await rowsIn(plan, "coordinate")).toEqual(expected);
    expect((await rowsIn(plan, "columns"))[0]).toEqual((await rowsIn(plan, "dense"))[0][0]);
  });

  test("reads only the columns of the matrix that are asked for, and their names are the other axis's", async () => {
    const plan = {
      ...made({ height: 1, width: 3, chunk: 1, values: [1, 2, 3] }),
      columnNames: async () => ["a", "b", "a"],
    };
    const columns = await changePlanLayout(plan, "columns");
    expect(columns.fields.map(({ name }) => name)).toEqual(["a", "b", "a"]);
    expect(await rowsIn(plan, "columns", { fields: [2, 0] })).toEqual([[float(3), float(1)]]);
  });

  test("without names calls its columns by position", async () => {
    const columns = await changePlanLayout(made({ height: 1, width: 3, chunk: 1, values: [1, 2, 3] }), "columns");
    expect(columns.fields.map(({ name }) => name)).toEqual(["0", "1", "2"]);
    expect(columns.metadata.layout).toBe("columns");
  });

  test("needs a name for every column", async () => {
    const plan = { ...made({ height: 1, width: 3, chunk: 1, values: [1, 2, 3] }), columnNames: async () => ["a"] };
    await expect(changePlanLayout(plan, "columns")).rejects.toThrow(/1 names for 3 columns/);
  });

  test("of rows beyond 2^31 counts them in Int64", async () => {
    const height = 2 ** 31 + 1;
    const array = {
      ...numbersArray(new Int8Array(0)),
      shape: [height, 1],
      read: async (start: number, end: number) =>
        ({ kind: "fixed", values: new Int8Array(end - start).fill(start === 0 ? 1 : 0) }) as const,
    };
    expect(await rowsIn(columnsPlan({ kind: "array", array }), "coordinate", { rows: [0, 2] })).toEqual([
      [0n, 0, 1],
      [1n, 0, 1],
    ]);
  });
});

describe("layouts", () => {
  const matrix = sparse("row", [1, 1], { data: Int8Array.of(1), indices: Int8Array.of(0), indptr: Int8Array.of(0, 1) });
  test("of each kind of table", async () => {
    const dense = made({ height: 1, width: 1, chunk: 1, values: [1] });
    expect(listLayouts(dense)).toEqual(["dense", "columns", "coordinate"]);
    expect(listLayouts(sparsePlan(matrix))).toEqual(["coordinate", "list", "dense"]);
    expect(listLayouts(columnsPlan({ kind: "array", array: numbersArray(Int8Array.of(1)) }))).toEqual([]);
    const text = memoryArray(textArray([]).type, [1, 2], {
      kind: "variable",
      offsets: Int32Array.of(0, 0, 0),
      bytes: new Uint8Array(0),
    });
    expect(listLayouts(columnsPlan({ kind: "array", array: text }))).toEqual([]);
  });

  test("lead from every one to every other", async () => {
    for (const plan of [sparsePlan(matrix), made({ height: 2, width: 2, chunk: 1, values: [1, 0, 0, 2] })]) {
      for (const first of listLayouts(plan)) {
        for (const second of listLayouts(plan)) {
          const there = await changePlanLayout(await changePlanLayout(plan, first), second);
          expect(listLayouts(there)[0]).toBe(second);
          expect(await rowsIn(there, second)).toEqual(await rowsIn(plan, second));
        }
      }
    }
  });

  test("that an element has not are refused, with those it has", async () => {
    await expect(changePlanLayout(sparsePlan(matrix), "columns")).rejects.toThrow(
      /no layout columns: it can be coordinate, list, dense/,
    );
    const vector = columnsPlan({ kind: "array", array: numbersArray(Int8Array.of(1)) });
    await expect(changePlanLayout(vector, "dense")).rejects.toThrow(/it has no other layout/);
    await expect(changePlanLayout(vector, "dense")).rejects.toThrow(InvalidInputError);
  });

  test("with rows that no memory holds are refused before anything is read", async () => {
    const wide = memoryArray(FLOAT64, [1, 2 ** 26], { kind: "fixed", values: new Float64Array(0) });
    const plan = columnsPlan({ kind: "array", array: wide });
    await expect(rowsIn(plan, "coordinate")).rejects.toThrow(UnsupportedError);
    expect(wide.reads).toEqual([]);
  });
});

describe("a hostile shape", () => {
  const shaped = (shape: readonly [number, number]) =>
    columnsPlan({
      kind: "array",
      array: memoryArray(FLOAT64, shape, { kind: "fixed", values: new Float64Array(0) }),
    });

  test("of rows without columns has no non-zeros, and is not searched for them", async () => {
    expect(await rowsIn(shaped([2 ** 50, 0]), "coordinate", {})).toEqual([]);
  });

  test("of more columns than a table can have does not become them", async () => {
    await expect(changePlanLayout(shaped([3, 2 ** 40]), "columns")).rejects.toThrow(UnsupportedError);
    await expect(changePlanLayout(shaped([3, 2 ** 18 + 1]), "columns")).rejects.toThrow(
      /262145 columns .* at most 262144/,
    );
  });
});
