import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ColumnPlan } from "../../../src/jobs/plan/plan.js";
import { InvalidInputError, UnsupportedError } from "../../../src/model/errors.js";
import { memoryArray, numbersArray, textArray } from "../../stored-array.js";
import { columnsPlan, rowsOf } from "../plans.js";
import { scan } from "../scan.js";

const N = 50;
const indices = Array.from({ length: N }, (_, i) => i);

/** A table with a column of every kind, in chunks of `chunk` rows. */
function frame(chunk: number) {
  const options = { chunks: [chunk] };
  const [ints, numbers, plain] = ["ints", "numbers", "plain"].map((path) =>
    numbersArray(Int32Array.from(indices), { path, ...options }),
  );
  const texts = textArray(
    indices.map((i) => "x".repeat(i % 7)),
    { path: "texts", ...options },
  );
  const mask = memoryArray(
    { kind: "bool" },
    [N],
    { kind: "fixed", values: Uint8Array.from(indices, (i) => (i % 3 === 0 ? 1 : 0)) },
    { path: "mask", ...options },
  );
  const codes = numbersArray(
    Int8Array.from(indices, (i) => (i % 4) - 1),
    { path: "codes", ...options },
  );
  const categories = textArray(["a", "b", "c"], { path: "categories" });
  const matrix = memoryArray(
    { kind: "float", bits: 32 },
    [N, 2],
    { kind: "fixed", values: new Float32Array(2 * N) },
    { path: "matrix", chunks: [chunk, 1] },
  );
  const records = memoryArray(
    {
      kind: "record",
      fields: [
        { name: "a", type: { kind: "bool" }, shape: [] },
        { name: "b", type: { kind: "int", bits: 8, signed: true }, shape: [2] },
      ],
    },
    [N],
    {
      kind: "record",
      length: N,
      fields: [
        { kind: "fixed", values: new Uint8Array(N) },
        { kind: "fixed", values: Int8Array.from({ length: 2 * N }, (_, i) => i) },
      ],
    },
    { path: "records", ...options },
  );
  const columns: readonly ColumnPlan[] = [
    { kind: "array", array: ints },
    { kind: "array", array: texts },
    { kind: "nullable", values: numbers, mask },
    { kind: "nullable", values: plain, mask: null },
    {
      kind: "categorical",
      codes: { kind: "array", array: codes },
      categories: { kind: "array", array: categories },
      ordered: true,
    },
    { kind: "array", array: matrix },
    { kind: "field", array: records, field: 0 },
    { kind: "field", array: records, field: 1 },
  ];
  return { plan: columnsPlan(...columns), arrays: { ints, numbers, texts, mask, codes, categories, matrix, records } };
}

const slowRow = (i: number) => [
  i,
  "x".repeat(i % 7),
  i % 3 === 0 ? null : i,
  i,
  i % 4 === 0 ? null : ["a", "b", "c"][(i % 4) - 1],
  ["f32:00000000", "f32:00000000"],
  false,
  [((2 * i) << 24) >> 24, ((2 * i + 1) << 24) >> 24],
];

describe("a scan", () => {
  test("of any rows in batches and chunks of any size is that part of the whole", async () => {
    const sizes = fc.record({ chunk: fc.integer({ min: 1, max: 70 }), batchBytes: fc.integer({ min: 1, max: 4000 }) });
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(N), fc.nat(N), async ({ chunk, batchBytes }, a, b) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        const { rows } = await rowsOf(frame(chunk).plan, { rows: [start, end], batchBytes });
        expect(rows).toEqual(indices.slice(start, end).map(slowRow));
      }),
    );
  });

  test("can begin anew, and gives the same", async () => {
    const { plan } = frame(8);
    expect(await rowsOf(plan, { batchBytes: 99 })).toEqual(await rowsOf(plan, { batchBytes: 99 }));
  });

  test("cuts batches by bytes", async () => {
    const plan = columnsPlan({ kind: "array", array: numbersArray(Float64Array.from(indices)) });
    expect((await rowsOf(plan, { batchBytes: 80 })).batches).toBe(5);
    expect((await rowsOf(plan, { batchBytes: 1 })).batches).toBe(N);
    expect((await rowsOf(plan)).batches).toBe(1);
  });

  test("takes text to be as long as it was so far", async () => {
    const long = Array.from({ length: 20_000 }, () => "x".repeat(996));
    const lengths = [];
    const plan = columnsPlan({ kind: "array", array: textArray(long) });
    for await (const { length } of scan(plan, { batchBytes: 1e6 })) lengths.push(length);
    expect(lengths.slice(0, 3)).toEqual([8192, 999, 999]);
  });

  test("of no rows is one empty batch with its dictionaries", async () => {
    const { plan } = frame(8);
    expect(await rowsOf(plan, { rows: [7, 7] })).toEqual({ rows: [], batches: 1 });
    for await (const { columns } of scan(plan, { rows: [0, 0], fields: [4] })) {
      expect(columns[0].layout === "dictionary" && columns[0].dictionary.length).toBe(3);
    }
  });

  test("reads only what the columns asked for need", async () => {
    const { plan, arrays } = frame(8);
    await rowsOf(plan, { fields: [2] });
    const read = Object.entries(arrays).flatMap(([name, array]) => (array.reads.length > 0 ? [name] : []));
    expect(read).toEqual(["numbers", "mask"]);
  });

  test("gives columns in the order asked for", async () => {
    const { rows } = await rowsOf(frame(8).plan, { fields: [1, 0], rows: [3, 5] });
    expect(rows).toEqual([
      ["xxx", 3],
      ["xxxx", 4],
    ]);
  });

  test("reads a compound array once for all its fields, and categories once for all batches", async () => {
    const { plan, arrays } = frame(N);
    await rowsOf(plan, { batchBytes: 64 });
    expect(arrays.records.reads).toEqual([[0, N]]);
    expect(arrays.categories.reads).toEqual([[0, 3]]);
  });

  test("shares one dictionary over all its batches", async () => {
    const dictionaries = new Set();
    for await (const { columns } of scan(frame(8).plan, { fields: [4], batchBytes: 7 })) {
      if (columns[0].layout === "dictionary") dictionaries.add(columns[0].dictionary);
    }
    expect(dictionaries.size).toBe(1);
  });

  test.each([
    [[0, N + 1], /0 … 51 .* 50/],
    [[5, 4], /5 … 4/],
    [[-1, 4], /-1 … 4/],
    [[0.5, 4], /0.5 … 4/],
  ] as const)("of the rows %j is refused with both numbers", async (rows, message) => {
    await expect(rowsOf(frame(8).plan, { rows })).rejects.toThrow(message);
    await expect(rowsOf(frame(8).plan, { rows })).rejects.toThrow(InvalidInputError);
  });

  test("of rows that no memory holds is refused before anything is read", async () => {
    const wide = memoryArray({ kind: "float", bits: 64 }, [1, 2 ** 26], { kind: "fixed", values: new Float64Array(0) });
    await expect(rowsOf(columnsPlan({ kind: "array", array: wide }))).rejects.toThrow(
      /536870912 bytes, at most 268435456/,
    );
    await expect(rowsOf(columnsPlan({ kind: "array", array: wide }))).rejects.toThrow(UnsupportedError);
    expect(wide.reads).toEqual([]);
  });
});

describe("cancellation", () => {
  test("stops between batches with the signal's reason", async () => {
    const { plan, arrays } = frame(1);
    const controller = new AbortController();
    const batches = scan(plan, { batchBytes: 1, fields: [0], signal: controller.signal })[Symbol.asyncIterator]();
    await batches.next();
    const reads = arrays.ints.reads.length;
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(batches.next()).rejects.toBe(reason);
    expect(arrays.ints.reads.length).toBe(reads);
  });
});
