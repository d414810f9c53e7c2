import { expect, test } from "vitest";
import { findColumnPositions } from "../../src/tables/record-batch.js";

test("positions in the order of the names; a name that there is twice chooses nothing", () => {
  expect(findColumnPositions(["a", "b", "a", "c"], ["c", "b"], "t")).toEqual([3, 1]);
  expect(() => findColumnPositions(["a", "b", "a", "c"], ["c", "a"], "t")).toThrow(
    't: 2 columns have the name "a" (at 0, 2)',
  );
  expect(() => findColumnPositions(["a"], ["a", "b", "a"], "t")).toThrow('t: column "a" is asked for twice');
  expect(() => findColumnPositions(["alpha"], ["alpah"], "t")).toThrow('t: no column "alpah"; did you mean alpha?');
});

test("as many columns as one request may name take no time that grows with their square", () => {
  const names = Array.from({ length: 100_000 }, (_, i) => `gene${i}`);
  const began = performance.now();
  const positions = findColumnPositions(names, names.toReversed(), "X");
  // With a comparison of all pairs it is a minute.
  expect(performance.now() - began).toBeLessThan(5000);
  expect([positions.length, positions[0], positions.at(-1)]).toEqual([100_000, 99_999, 0]);
});
