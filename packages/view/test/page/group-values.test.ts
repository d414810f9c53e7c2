/** Genes by groups of cells, compared with numpy. */

import { expect, test } from "vitest";
import { groupSizes, groupValues, scaled } from "../../page/src/matrix/group-values.js";

// x = np.array([2, 0, 1, 0, 4, 3.5]), of which the entry of cell 3 is a stored zero; groups 0, 1, 0, 1, none, 1
const entries = { rows: Uint32Array.of(0, 2, 3, 4, 5), values: Float64Array.of(2, 1, 0, 4, 3.5) };
const codes = Uint8Array.of(0, 1, 0, 1, 255, 1);

test("cells without an entry are zeros, stored zeros too", () => {
  const groups = { codes, count: 2, mask: null };
  const sizes = groupSizes(groups, 6);
  expect(sizes).toEqual([2, 3]);
  // [x[g == k].mean(), (x[g == k] != 0).mean()]
  expect(groupValues(entries, groups, sizes)).toEqual({ means: [1.5, 3.5 / 3], shares: [1, 1 / 3] });
});

test("only cells of the mask count, and a group without them has no value", () => {
  const groups = { codes, count: 2, mask: Uint8Array.of(1, 0, 0, 0, 1, 0) };
  const sizes = groupSizes(groups, 6);
  expect(sizes).toEqual([1, 0]);
  expect(groupValues(entries, groups, sizes)).toEqual({ means: [2, Number.NaN], shares: [1, Number.NaN] });
});

test("all cells as one group", () => {
  const groups = { codes: null, count: 1, mask: null };
  expect(groupValues(entries, groups, groupSizes(groups, 6))).toEqual({ means: [10.5 / 6], shares: [4 / 6] });
});

test("a gene from 0 to 1", () => {
  expect(scaled([2, 4, 3, Number.NaN])).toEqual([0, 1, 0.5, Number.NaN]);
  expect(scaled([2, 2])).toEqual([0, 0]);
});
