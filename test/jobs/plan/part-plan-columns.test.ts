import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseForm } from "../../../src/arrow/ragged/form.js";
import { withNumbers } from "../../../src/jobs/plan/part-plan.js";
import type { ColumnPlan, TablePlan } from "../../../src/jobs/plan/plan.js";
import { UnsupportedError } from "../../../src/model/errors.js";
import type { StoredType } from "../../../src/model/stored.js";
import type { Plain } from "../../arrow/plain.js";
import { CLASSES, randomAwkward, slowRow } from "../../arrow/ragged-twin.js";
import { draws } from "../../draws.js";
import { memoryArray, numbersArray, textArray } from "../../stored-array.js";
import { columnsPlan, rowsOf } from "../plans.js";
import { part, positionsOf, taken, upTo } from "./parts.js";

const N = 20;

/** A table with a column of every kind, whose row `i` is `slowFrame(i)`. */
function frame(chunk: number): TablePlan {
  const options = { chunks: [chunk] };
  const numbers = numbersArray(Int32Array.from(upTo(N)), options);
  const bits = Uint8Array.from(upTo(N), (i) => (i % 3 === 0 ? 1 : 0));
  const mask = memoryArray({ kind: "bool" }, [N], { kind: "fixed", values: bits }, options);
  const categories = { kind: "array", array: textArray(["a", "b", "c"]) } as const;
  const codes = (base: number) =>
    numbersArray(
      Int8Array.from(upTo(N), (i) => (i % 4) - 1 + base),
      options,
    );
  const type: StoredType = {
    kind: "record",
    fields: [
      { name: "flag", type: { kind: "bool" }, shape: [] },
      { name: "pair", type: { kind: "int", bits: 16, signed: true }, shape: [2] },
    ],
  };
  // Each has memory of its own: apache-arrow's writer joins neighbouring buffers that are one memory.
  const records = () =>
    memoryArray(
      type,
      [N],
      {
        kind: "record",
        length: N,
        fields: [
          { kind: "fixed", values: bits },
          { kind: "fixed", values: Int16Array.from(upTo(2 * N)) },
        ],
      },
      options,
    );
  const columns: readonly ColumnPlan[] = [
    { kind: "array", array: numbers },
    {
      kind: "array",
      array: textArray(
        upTo(N).map((i) => "é".repeat(i % 5)),
        options,
      ),
    },
    { kind: "nullable", values: numbers, mask },
    { kind: "nullable", values: numbers, mask: null },
    { kind: "categorical", codes: { kind: "array", array: codes(0) }, categories, ordered: true },
    { kind: "categorical", codes: { kind: "array", array: codes(1) }, categories, ordered: false, oneBased: true },
    { kind: "array", array: records() },
    { kind: "field", array: records(), field: 1 },
  ];
  return columnsPlan(...columns);
}

function slowFrame(i: number): Plain[] {
  const category = i % 4 === 0 ? null : ["a", "b", "c"][(i % 4) - 1];
  const pair = [2 * i, 2 * i + 1];
  return [i, "é".repeat(i % 5), i % 3 === 0 ? null : i, i, category, category, { flag: i % 3 === 0, pair }, pair];
}

describe("rows of a table of columns", () => {
  test("of every kind, of a part of a part, too", async () => {
    const drawn = positionsOf(N).chain((rows) =>
      fc.record({
        rows: fc.constant(rows),
        again: positionsOf(rows?.length ?? N),
        chunk: fc.constantFrom(1, 4, 50),
        batchBytes: fc.constantFrom(1, 300, 1e6),
      }),
    );
    await fc.assert(
      fc.asyncProperty(drawn, async ({ rows, again, chunk, batchBytes }) => {
        const one = await part(frame(chunk), rows, null);
        const expected = taken(upTo(N).map(slowFrame), rows);
        expect(one.rows).toBe(expected.length);
        expect((await rowsOf(one, { batchBytes })).rows).toEqual(expected);
        const two = await part(one, again, null);
        expect((await rowsOf(two, { batchBytes })).rows).toEqual(taken(expected, again));
      }),
      draws(100),
    );
  });

  test("keep all categories, unused ones too", async () => {
    const one = await part(frame(4), [0], null);
    expect((await rowsOf(one)).rows).toEqual([slowFrame(0)]);
    expect(one.fields).toEqual(frame(4).fields);
  });

  test.each(CLASSES)("of ragged lists (%s), of a part of a part, too", async (root) => {
    const length = root === "EmptyArray" ? 0 : 7;
    const drawn = positionsOf(length).chain((rows) =>
      fc.tuple(fc.integer(), fc.constant(rows), positionsOf(rows?.length ?? length)),
    );
    await fc.assert(
      fc.asyncProperty(drawn, async ([seed, rows, again]) => {
        const made = randomAwkward(seed, root, length);
        const buffers = new Map([...made.buffers].map(([name, values]) => [name, numbersArray(values)]));
        const form = parseForm(JSON.stringify(made.form));
        const table = columnsPlan({ kind: "ragged", form, length, buffers });
        const expected = upTo(length).map((i) => [slowRow(made.form, made, i)]);
        const one = await part(table, rows, null);
        expect((await rowsOf(one)).rows).toEqual(taken(expected, rows));
        const two = await part(one, again, null);
        expect((await rowsOf(two)).rows).toEqual(taken(taken(expected, rows), again));
      }),
      draws(60),
    );
  });

  test("have the shape of the part in their metadata", async () => {
    const table = { ...frame(4), metadata: { kind: "dataframe", shape: [N, 3, 2] } };
    expect((await part(table, [1, 1], null)).metadata).toEqual({ kind: "dataframe", shape: [2, 3, 2] });
    expect(await part(table, null, null)).toBe(table);
  });

  test("are no columns of a matrix", async () => {
    await expect(part(frame(4), null, [0])).rejects.toMatchObject({
      tag: "UnsupportedError",
      element: "table",
      problem: "no part of this element can be taken by positions",
    });
  });
});

describe("other numbers in a column of numbers", () => {
  test.each([
    ["int32", Int32Array.of(7, 8, 9), [[2], [0]]],
    ["uint8", Uint8Array.of(7, 8, 9), [[2], [0]]],
    ["float64", Float64Array.of(7, Number.NaN, 9), [["f64:4000000000000000"], ["f64:0000000000000000"]]],
  ])("of %s", async (_, values, rows) => {
    const table = {
      ...columnsPlan({ kind: "array", array: numbersArray(values) }),
      metadata: { kind: "a", shape: [3] },
    };
    const changed = withNumbers(table, Int32Array.of(2, 0));
    expect((await rowsOf(changed)).rows).toEqual(rows);
    expect([changed.rows, changed.metadata.shape]).toEqual([2, [2]]);
    expect(changed.fields).toEqual(table.fields);
  });

  test("of 64 bits are bigints", async () => {
    const table = columnsPlan({ kind: "array", array: numbersArray(BigInt64Array.of(1n)) });
    expect((await rowsOf(withNumbers(table, Int32Array.of(2, 0)))).rows).toEqual([[2n], [0n]]);
  });

  test("of anything else are refused", () => {
    expect(() => withNumbers(frame(4), Int32Array.of(1))).toThrow(UnsupportedError);
    const halves = columnsPlan({
      kind: "array",
      array: { ...numbersArray(Uint16Array.of(1)), type: { kind: "float", bits: 16 } },
    });
    expect(() => withNumbers(halves, Int32Array.of(1))).toThrow(UnsupportedError);
  });
});
