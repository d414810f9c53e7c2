/** Lists of entries that reach over the pages in which they are packed. */

import { expect, test } from "vitest";
import { PAGE_VALUES } from "../../../src/kernels/bp128/page.js";
import { ints } from "../tables.js";
import { type Entry, lists, type Matrix, readBack, written } from "./matrices.js";

const ROWS = PAGE_VALUES + 50_000;

/** Columns of these lengths, each in order unless its number is in `turned`. */
function matrixOf(lengths: readonly number[], turned: readonly number[]): Matrix {
  const entries: Entry[] = [];
  for (const [col, length] of lengths.entries()) {
    for (let i = 0; i < length; i++) {
      const row = Math.floor(((turned.includes(col) ? length - 1 - i : i) * ROWS) / length);
      entries.push({ row, col, at: entries.length });
    }
  }
  return { shape: [ROWS, lengths.length], entries };
}

const given = { values: (at: readonly number[]) => ints(Int32Array.from(at, (place) => place % 1000)), perBatch: 100 };

/** The entries as they are expected: by column, then by row. */
function sorted({ entries }: Matrix) {
  const all = entries.toSorted((a, b) => a.col - b.col || a.row - b.row);
  return { row: all.map(({ row }) => row), col: all.map(({ col }) => col), value: all.map(({ at }) => at % 1000) };
}

test.each([
  ["up to the end of a page", [PAGE_VALUES - 1, 1, 5, 0, 0, 7], []],
  ["beyond the end of a page", [PAGE_VALUES - 3, 10, 0, 20, PAGE_VALUES + 7, 4], []],
  ["of which some are not in order", [1000, 0, PAGE_VALUES - 2000, 3000, 500, PAGE_VALUES + 9, 40], [0, 3, 5]],
] as const)("lists %s are written whole, and sorted", async (_, lengths, turned) => {
  const matrix = matrixOf(lengths, turned);
  const { files } = await written({ matrix: lists(matrix, "column", given) });
  const { row, col, value } = await readBack(files);
  // Typed arrays are compared by their bytes: lists of this length would take seconds.
  expect(numbers({ row, col, value })).toEqual(numbers(sorted(matrix)));
});

function numbers({ row, col, value }: Record<"row" | "col" | "value", readonly number[]>) {
  return [row, col, value].map((list) => Float64Array.from(list));
}

test("what is wrong behind the first page is named by its place", async () => {
  const matrix = matrixOf([PAGE_VALUES - 3, 10, 20], []);
  const wrong = PAGE_VALUES + 12;
  const rowOf = (at: number, row: number) => (at === wrong ? ROWS : row);
  const outside = { ...matrix, entries: matrix.entries.map((one) => ({ ...one, row: rowOf(one.at, one.row) })) };
  await expect(written({ matrix: lists(outside, "column", given) })).rejects.toThrow(
    `row of entry ${wrong} is ${ROWS}, outside 0 … ${ROWS - 1}`,
  );
  const negative = (at: readonly number[]) => ints(Int32Array.from(at, (place) => (place === wrong ? -5 : 1)));
  await expect(written({ matrix: lists(matrix, "column", { ...given, values: negative }) })).rejects.toThrow(
    `value -5 of entry ${wrong} is no whole number`,
  );
});
