import { expect, test } from "vitest";
import { compareByCodePoint, findRepeatedName, makeDistinctNames } from "../../../src/kernels/text/names.js";

test("names are compared by code points, as in Python, not by UTF-16", () => {
  // sorted(["\U0001F600", "\uFFFD", "b", "a10", "a9", "é", ""]) in Python
  const names = ["\u{1f600}", "\ufffd", "b", "a10", "a9", "é", ""];
  expect(names.toSorted(compareByCodePoint)).toEqual(["", "a10", "a9", "b", "é", "\ufffd", "\u{1f600}"]);
  expect(compareByCodePoint("ab", "ab")).toBe(0);
});

test("the first name that repeats is found", () => {
  expect(findRepeatedName(["a", "b", "c", "b", "a"])).toBe("b");
  expect(findRepeatedName(["a", "b", ""])).toBeNull();
});

test("names that differ in case alone get the next free number", () => {
  expect(makeDistinctNames(["a", "b", "A", "a", "a_1", "B_1", "B"])).toEqual([
    "a",
    "b",
    "A_2",
    "a_3",
    "a_1",
    "B_1",
    "B_2",
  ]);
  expect(makeDistinctNames(["É", "é", "ß", "SS"])).toEqual(["É", "é_1", "ß", "SS"]);
  expect(makeDistinctNames([])).toEqual([]);
});
