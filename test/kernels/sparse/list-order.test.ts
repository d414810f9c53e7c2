import fc from "fast-check";
import { expect, test } from "vitest";
import { firstUnsortedList, sortedPlaces } from "../../../src/kernels/sparse/list-order.js";

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
      expect(firstUnsortedList(offsets, all)).toBe(unsorted);
      const places = sorted.flatMap((list, i) => list.map((place) => place + offsets[i] - base));
      expect(Array.from(sortedPlaces(offsets, all))).toEqual(places);
    }),
  );
});
