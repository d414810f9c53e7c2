import fc from "fast-check";
import { expect, test } from "vitest";
import {
  computeSortedPositions,
  findUnsortedEntry,
  findUnsortedList,
} from "../../../src/kernels/sparse/entry-order.js";

const positions = fc.uint32Array({ max: 2 ** 31 - 1, maxLength: 40 });
const few = fc.uint32Array({ max: 5, maxLength: 40 });
const lists = fc.array(
  fc.oneof(
    positions,
    few,
    positions.map((one) => one.sort()),
  ),
  { maxLength: 8 },
);

test("lists are looked at and sorted each by itself, what stands twice as it stands", () => {
  fc.assert(
    fc.property(lists, fc.nat(5), (given, base) => {
      const offsets = new Int32Array(given.length + 1).fill(base);
      for (const [i, one] of given.entries()) offsets[i + 1] = offsets[i] + one.length;
      const all = Uint32Array.from(given.flatMap((one) => Array.from(one)));
      const sorted = given.map((one) => Array.from(one.keys()).sort((a, b) => one[a] - one[b] || a - b));
      const unsorted = sorted.findIndex((places) => places.some((place, i) => place !== i));
      expect(findUnsortedList(offsets, all)).toBe(unsorted);
      const places = sorted.flatMap((list, i) => list.map((place) => place + offsets[i] - base));
      expect(Array.from(computeSortedPositions(offsets, all))).toEqual(places);
    }),
  );
});

const pairs = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 12 });
const comparePairs = ([a, b]: readonly [number, number], [c, d]: readonly [number, number]) => a - c || b - d;

test("finds what the plain search finds, in every width", () => {
  fc.assert(
    fc.property(pairs, fc.boolean(), (given, sorted) => {
      const entries = sorted ? [...given].sort(comparePairs) : given;
      const expected = entries.findIndex((pair, i) => i > 0 && comparePairs(pair, entries[i - 1]) < 0);
      const [major, minor] = [entries.map(([a]) => a), entries.map(([, b]) => b)];
      expect(findUnsortedEntry(Int32Array.from(major), Int32Array.from(minor))).toBe(expected);
      expect(findUnsortedEntry(BigInt64Array.from(major, BigInt), Uint16Array.from(minor))).toBe(expected);
    }),
  );
});
