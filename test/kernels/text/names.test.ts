import { expect, test } from "vitest";
import { byCodePoint, repeatedName } from "../../../src/kernels/text/names.js";

test("names are compared by code points, as in Python, not by UTF-16", () => {
  // sorted(["\U0001F600", "\uFFFD", "b", "a10", "a9", "é", ""]) in Python
  const names = ["\u{1f600}", "\ufffd", "b", "a10", "a9", "é", ""];
  expect(names.toSorted(byCodePoint)).toEqual(["", "a10", "a9", "b", "é", "\ufffd", "\u{1f600}"]);
  expect(byCodePoint("ab", "ab")).toBe(0);
});

test("the first name that repeats is found", () => {
  expect(repeatedName(["a", "b", "c", "b", "a"])).toBe("b");
  expect(repeatedName(["a", "b", ""])).toBeNull();
});
