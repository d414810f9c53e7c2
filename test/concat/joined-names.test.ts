import fc from "fast-check";
import { expect, test } from "vitest";
import { createTextColumn } from "../../src/arrow/text.js";
import { computeJoinedIndices, type Join, joinAxisNames, NumberedNames } from "../../src/concat/joined-names.js";
import { compareByCodePoint } from "../../src/kernels/text/names.js";

/** The joined names of some lists, and the places of each list's names. */
function joined(lists: readonly (readonly string[])[], join: Join) {
  const all = new NumberedNames();
  const axes = lists.map((names, i) => ({ source: `${i}`, names: all.numbersOf([createTextColumn(names)]) }));
  const numbers = joinAxisNames(axes, join, "var", all);
  const order = computeJoinedIndices(numbers, all);
  return {
    names: all.names(numbers),
    places: axes.map(({ names }) => Array.from(names, (number) => order[number])),
  };
}

test("an intersection has the order of the first list, a union is sorted by code points", () => {
  const lists = [
    ["b", "\u{1F600}", "a", "\uFFFD"],
    ["a", "c", "\uFFFD", "b"],
  ];
  expect(joined(lists, "inner")).toEqual({
    names: ["b", "a", "\uFFFD"],
    places: [
      [0, -1, 1, 2],
      [1, -1, 2, 0],
    ],
  });
  expect(joined(lists, "outer")).toEqual({
    names: ["a", "b", "c", "\uFFFD", "\u{1F600}"],
    places: [
      [1, 4, 0, 3],
      [0, 2, 3, 1],
    ],
  });
});

test("lists without names do not count for the order of a union", () => {
  expect(joined([["b", "a"], []], "outer")).toEqual({ names: ["b", "a"], places: [[0, 1], []] });
});

test("joined names are the intersection and the union as sets", () => {
  const name = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(name), { minLength: 2, maxLength: 5 }), (lists) => {
      const sets = lists.map((names) => new Set(names));
      const inner = joined(lists, "inner");
      expect(inner.names).toEqual(lists[0].filter((one) => sets.every((set) => set.has(one))));
      const outer = joined(lists, "outer");
      expect(new Set(outer.names)).toEqual(new Set(lists.flat()));
      for (const { names, places } of [inner, outer]) {
        expect(new Set(names).size).toBe(names.length);
        expect(places).toEqual(lists.map((list) => list.map((one) => names.indexOf(one))));
      }
    }),
  );
});

test("names of many columns have one number each, and a missing name is empty", () => {
  const all = new NumberedNames();
  const column = { ...createTextColumn(["a", null, "", "b"]), offsets: Int32Array.of(0, 1, 2, 2, 3) };
  const bytes = new TextEncoder().encode("axb");
  const numbers = all.numbersOf([{ ...column, bytes }, createTextColumn(["b", "c"])]);
  expect([...numbers]).toEqual([0, 1, 1, 2, 2, 3]);
  expect(all.names(numbers)).toEqual(["a", "", "", "b", "b", "c"]);
});

test("names are compared by code points, as their strings are", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 3 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const all = new NumberedNames();
      const [first, second] = all.numbersOf([createTextColumn([a, b])]);
      expect(Math.sign(all.compare(first, second))).toBe(Math.sign(compareByCodePoint(a, b)));
    }),
  );
});
