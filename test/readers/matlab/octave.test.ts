/** A file of GNU Octave, of `test/fixtures/matlab/make_octave.py`; the values are those of its script. */

import { expect, test } from "vitest";
import { openFixture, typesOf } from "./fixtures.js";

const VALUES: Readonly<Record<string, { readonly size: readonly number[]; readonly rows: readonly unknown[] }>> = {
  matrix: {
    size: [2, 3],
    rows: [
      [1.5, 2, 3],
      [4, 5, 6.25],
    ],
  },
  whole: {
    size: [2, 3],
    rows: [
      [1, 2, 3],
      [4, 5, 300],
    ],
  },
  small: {
    size: [2, 2],
    rows: [
      [1, 2],
      [3.5, 4],
    ],
  },
  scalar: { size: [1, 1], rows: [7] },
  pair: {
    size: [1, 2],
    rows: [
      { real: 1, imag: 2 },
      { real: 3, imag: -4 },
    ],
  },
  ints: {
    size: [3, 2],
    rows: [
      [-1, 2],
      [3, 4],
      [5, 6],
    ],
  },
  big: { size: [1, 1], rows: [18446744073709551615n] },
  flags: {
    size: [2, 2],
    rows: [
      [true, false],
      [false, true],
    ],
  },
  flag: { size: [1, 1], rows: [true] },
  range: { size: [1, 5], rows: [1, 3, 5, 7, 9] },
  text: { size: [1, 7], rows: ["Zürich"] },
  quoted: { size: [1, 3], rows: ["abc"] },
  lines: { size: [2, 3], rows: ["abc", "xyz"] },
  no_text: { size: [0, 0], rows: [] },
  nothing: { size: [0, 3], rows: [] },
  words: { size: [2, 2], rows: ["a", "", "bc", "d"] },
  "mixed/{1}": { size: [1, 1], rows: [1] },
  "mixed/{2}": { size: [1, 1], rows: ["x"] },
  "mixed/{3}/{2}": { size: [1, 2], rows: [3, 4] },
  no_cells: { size: [0, 2], rows: [] },
  "one/n": { size: [1, 3], rows: [1, 2, 3] },
  "one/deep/s": { size: [1, 4], rows: ["text"] },
  cube: {
    size: [2, 3, 4],
    rows: [
      [
        [1, 7, 13, 19],
        [3, 9, 15, 21],
        [5, 11, 17, 23],
      ],
      [
        [2, 8, 14, 20],
        [4, 10, 16, 22],
        [6, 12, 18, 24],
      ],
    ],
  },
};

async function rowsOf(data: Awaited<ReturnType<typeof openFixture>>, name: string): Promise<readonly unknown[]> {
  const table = await data.table(name).read();
  return table.toArray().map((row) => row.toJSON());
}

/** A value of Arrow as plain JavaScript. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return plain(value.toJSON());
  if (ArrayBuffer.isView(value))
    return Array.from(
      value instanceof Float64Array || value instanceof Float32Array || value instanceof Int16Array ? value : [],
    );
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

test.each(Object.entries(VALUES))("%s", async (name, { size, rows }) => {
  const data = await openFixture("octave.mat");
  expect(data.format).toBe("matlab");
  expect(data.table(name).metadata.size).toEqual(size);
  expect(plain(await rowsOf(data, name))).toEqual(rows.map((value) => ({ value })));
});

test("sparse matrices", async () => {
  const data = await openFixture("octave.mat");
  expect(await rowsOf(data, "counts")).toEqual([
    { row: 0, col: 0, value: 5 },
    { row: 2, col: 1, value: 6.5 },
    { row: 2, col: 3, value: 7 },
  ]);
  expect(await rowsOf(data, "mask")).toEqual([
    { row: 1, col: 0, value: true },
    { row: 0, col: 1, value: true },
  ]);
  expect(await rowsOf(data, "no_entries")).toEqual([]);
  expect(data.table("no_entries").metadata).toMatchObject({ kind: "csc_matrix", shape: [2, 3] });
});

test("an array of structs is a table", async () => {
  const data = await openFixture("octave.mat");
  expect(await rowsOf(data, "many")).toEqual([1, 2, 3].map((id) => ({ id, name: "abc"[id - 1] })));
});

test("whole numbers are doubles, whatever stores them", async () => {
  const data = await openFixture("octave.mat");
  expect(typesOf(data, "whole")).toEqual({ value: "FixedSizeList[3]<Float64>" });
  expect(typesOf(data, "small")).toEqual({ value: "FixedSizeList[2]<Float32>" });
});

test("a function handle costs itself alone", async () => {
  const { failures } = await openFixture("octave.mat");
  expect([...failures].map(([name, error]) => [name, error.tag, error.problem])).toEqual([
    ["handle", "UnsupportedError", 'Octave\'s type "function handle"'],
  ]);
});
