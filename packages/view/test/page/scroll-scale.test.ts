/** Places among more rows than an element can be high. */

import { expect, test } from "vitest";
import {
  HIGHEST,
  lastTop,
  scaleOf,
  scrolledHeight,
  scrollOfTop,
  topOfScroll,
  topThatShows,
} from "../../page/src/table/scroll-scale.js";

const ROW = 25;
const few = { whole: 1000 * ROW, seen: 500 };
const many = { whole: 1e7 * ROW, seen: 500 };

test("few rows scroll as they are", () => {
  expect(scrolledHeight(few)).toBe(25_000);
  expect(scaleOf(few)).toBe(1);
  expect(topOfScroll(few, 1234)).toBe(1234);
  expect(topOfScroll(few, 99_999)).toBe(24_500);
});

test("ten million rows have a first, a middle and a last place", () => {
  expect(scrolledHeight(many)).toBe(HIGHEST);
  expect(topOfScroll(many, 0)).toBe(0);
  // The element scrolls to its height without what is seen: there is the last row.
  expect(topOfScroll(many, HIGHEST - 500)).toBe(250_000_000 - 500);
  expect(topOfScroll(many, (HIGHEST - 500) / 2)).toBe((250_000_000 - 500) / 2);
});

test("a place and its scroll position belong together", () => {
  for (const row of [0, 1, 2, 77, 4_999_999, 9_999_000]) {
    expect(topOfScroll(many, scrollOfTop(many, row * ROW))).toBeCloseTo(row * ROW, 4);
  }
});

test("rows that all fit do not scroll", () => {
  const all = { whole: 10 * ROW, seen: 500 };
  expect(lastTop(all)).toBe(0);
  expect(topOfScroll(all, 100)).toBe(0);
  expect(scrollOfTop(all, 100)).toBe(0);
});

test("a row is moved into sight only as far as it must", () => {
  // 20 rows are seen: 100 to 119.
  expect(topThatShows(few, 2500, 110, ROW)).toBe(2500);
  expect(topThatShows(few, 2500, 99, ROW)).toBe(2475);
  expect(topThatShows(few, 2500, 120, ROW)).toBe(2525);
  expect(topThatShows(many, 0, 9_999_999, ROW)).toBe(250_000_000 - 500);
});
