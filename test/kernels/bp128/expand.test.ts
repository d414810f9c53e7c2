import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Bp128Page, PAGE_VALUES } from "../../../src/kernels/bp128/page.js";
import { createBp128Pages } from "../../../src/kernels/bp128/pages.js";

const [first, last] = await createBp128Pages(2);
const pages: [string, Bp128Page][] = [
  ["the first page of a memory", first],
  ["the last page", last],
];

/** Lengths of neighbouring rows, many of them empty. */
const lengths = fc.array(fc.oneof(fc.constant(0), fc.nat(3), fc.nat(70)), { minLength: 1, maxLength: 60 });

function pointersOf(base: number, rows: readonly number[]): Float64Array {
  let at = base;
  return Float64Array.from([base, ...rows.map((length) => (at += length))]);
}

describe.each(pages)("%s", (_, page) => {
  test("each entry gets the number of the row that it is in", () => {
    const base = fc.oneof(fc.nat(100), fc.constant(2 ** 40));
    fc.assert(
      fc.property(lengths, base, fc.nat(2 ** 30), fc.nat(9), fc.nat(), fc.nat(), (rows, begin, major, at, a, b) => {
        const entries = rows.flatMap((length, row) => Array.from({ length }, () => major + row));
        const from = a % (entries.length + 1);
        const to = from + (b % (entries.length - from + 1));
        page.values.fill(0xffffffff, 0, at + entries.length + 4);
        page.expand(pointersOf(begin, rows), major, begin + from, begin + to, at);
        expect(Array.from(page.values.subarray(at, at + to - from))).toEqual(entries.slice(from, to));
        expect(Array.from(page.values.subarray(0, at))).toEqual(Array.from({ length: at }, () => 0xffffffff));
      }),
    );
  });

  test("fills a whole page, and not what lies behind it", () => {
    last.data.fill(7, 0, 4);
    const rows = Array.from({ length: PAGE_VALUES / 2 + 1 }, (_, i) => (i === 0 ? 1 : 2));
    page.expand(pointersOf(0, rows), 5, 1, PAGE_VALUES + 1, 0);
    expect(page.values.findIndex((value, i) => value !== 6 + (i >> 1))).toBe(-1);
    if (page !== last) expect(Array.from(last.data.subarray(0, 4))).toEqual([7, 7, 7, 7]);
  });

  test("takes more pointers than a page has room for", () => {
    const rows = Array.from({ length: 300_000 }, (_, i) => (i % 5 === 0 || i < 3 || i > 299_990 ? 1 : 0));
    const entries = rows.flatMap((length, row) => (length === 0 ? [] : [row]));
    page.expand(pointersOf(0, rows), 0, 2, entries.length, 0);
    expect(Array.from(page.values.subarray(0, entries.length - 2))).toEqual(entries.slice(2));
    // Nothing but empty rows between the two entries.
    const wide = Array.from({ length: 400_000 }, (_, i) => (i === 0 || i === 399_999 ? 1 : 0));
    page.expand(pointersOf(0, wide), 1, 0, 2, 3);
    expect(Array.from(page.values.subarray(3, 5))).toEqual([1, 400_000]);
  });
});
