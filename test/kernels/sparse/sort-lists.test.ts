import fc from "fast-check";
import { expect, test } from "vitest";
import { sortLists } from "../../../src/kernels/sparse/sort-lists.js";

/** Lists of positions below 600: long and short ones, with and without repeats. */
const lists = fc.array(
  fc.oneof(
    fc.array(fc.nat(599), { maxLength: 30 }),
    fc.array(fc.nat(599), { minLength: 25, maxLength: 300 }),
    fc.uniqueArray(fc.nat(599), { minLength: 25, maxLength: 300 }),
    fc.uniqueArray(
      fc.nat(40).map((n) => n + 500),
      { minLength: 25, maxLength: 40 },
    ),
  ),
  { maxLength: 6 },
);

const offsetsOf = (all: readonly (readonly number[])[]) =>
  Float64Array.from([0, ...all.keys()], (_, i) => all.slice(0, i).flat().length);

test("lists are sorted one by one; entries of one position keep their order", () => {
  fc.assert(
    fc.property(lists, fc.constantFrom(0, 2 ** 30), (all, far) => {
      const moved = all.map((list) => list.map((position) => position + far));
      const minor = Int32Array.from(moved.flat());
      const places = Int32Array.from(minor.keys());
      sortLists({ places, minor }, offsetsOf(all));
      const wanted = moved
        .map((list, i) => list.map((position, k) => ({ position, place: k + moved.slice(0, i).flat().length })))
        .flatMap((list) => list.toSorted((a, b) => a.position - b.position));
      expect(Array.from(minor)).toEqual(wanted.map(({ position }) => position));
      expect(Array.from(places)).toEqual(wanted.map(({ place }) => place));
    }),
  );
});
