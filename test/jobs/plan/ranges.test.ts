import fc from "fast-check";
import { expect, test } from "vitest";
import { clipRanges, joinCloseRanges, toPositionRanges } from "../../../src/jobs/plan/ranges.js";

const positions = fc.uniqueArray(fc.nat(40), { maxLength: 20 }).map((list) => list.sort((a, b) => a - b));
const all = (ranges: Iterable<readonly [number, number]>) =>
  Array.from(ranges).flatMap(([start, end]) => Array.from({ length: end - start }, (_, i) => start + i));

test("positions become as few ranges as there can be", () => {
  fc.assert(
    fc.property(positions, (list) => {
      const ranges = toPositionRanges(list);
      expect(all(ranges)).toEqual(list);
      expect(ranges.every(([start], i) => i === 0 || ranges[i - 1][1] < start)).toBe(true);
    }),
  );
});

test("parts of ranges are the positions within", () => {
  fc.assert(
    fc.property(positions, fc.nat(45), fc.nat(45), (list, start, end) => {
      const inside = list.filter((position) => position >= start && position < end);
      expect(all(clipRanges(toPositionRanges(list), start, end))).toEqual(inside);
      expect(Array.from(clipRanges(null, start, end))).toEqual(start < end ? [[start, end]] : []);
    }),
  );
});

test("joined ranges have no gap as long as the one given, and no position less", () => {
  fc.assert(
    fc.property(positions, fc.integer({ min: 1, max: 8 }), (list, gap) => {
      const joined = joinCloseRanges(toPositionRanges(list), gap);
      expect(joined.every(([start], i) => i === 0 || start - joined[i - 1][1] >= gap)).toBe(true);
      const covered = new Set(all(joined));
      expect(list.every((position) => covered.has(position))).toBe(true);
      expect(joined.flat().every((edge, i) => list.includes(i % 2 === 0 ? edge : edge - 1))).toBe(true);
    }),
  );
});
