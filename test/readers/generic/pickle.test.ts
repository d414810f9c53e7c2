import { expect, test } from "vitest";
import { readPickle } from "../../../src/readers/generic/conventions/pickle.js";

test.each([
  ["a list of texts", "(lp0\nVa\np1\naV\\u00e9\np2\na.", ["a", "é"]],
  ["None", "N.", null],
  ["truths and integers", "(lp0\nI01\naI00\naI-5\na.", [true, false, -5]],
  ["a tuple in a list", "(lp0\n(I1\nVx\ntp1\na.", [[1, "x"]]],
])("%s", (_, text, expected) => {
  expect(readPickle(text)).toEqual(expected);
});

test("nothing is called", () => {
  expect(readPickle("cos\nsystem\n(Vls\ntR.")).toEqual({ kind: "call", name: "os system", args: ["ls"] });
});

test.each(["", "(", "(lp0\nVa", "a.", "s.", "R.", "VxR.", "(l", "Vx\nVy\nR.", "\u0080."])("%j is refused", (text) => {
  expect(() => readPickle(text)).toThrow(/pickle/);
});
