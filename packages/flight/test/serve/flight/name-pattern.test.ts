import fc from "fast-check";
import { expect, test } from "vitest";
import { getPatternPrefix, matchesPattern } from "../../../src/serve/flight/sql/name-pattern.js";

test.each([
  ["obs", null, true],
  ["obs", "obs", true],
  ["obs", "OBS", false],
  ["obs", "o%", true],
  ["obs", "%", true],
  ["", "%", true],
  ["", "_", false],
  ["obs", "o_s", true],
  ["obs", "_", false],
  ["obs", "%b%s", true],
  ["obs", "%b", false],
  ["a_b", "a\\_b", true],
  ["axb", "a\\_b", false],
  ["a%", "a\\%", true],
  ["a\\b", "a\\\\b", true],
  ["a\\b", "a\\b", true],
  ["🧬x", "_x", true],
])("%j and %j: %s", (name, pattern, matches) => {
  expect(matchesPattern(name, pattern)).toBe(matches);
});

test("a pattern matches as a regular expression does, and its prefix begins the name", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "%", "_"), maxLength: 8 });
  fc.assert(
    fc.property(letters, letters, (name, pattern) => {
      const twin = new RegExp(`^${pattern.replaceAll("%", ".*").replaceAll("_", ".")}$`, "s");
      expect(matchesPattern(name, pattern)).toBe(twin.test(name));
      if (matchesPattern(name, pattern)) expect(name.startsWith(getPatternPrefix(pattern))).toBe(true);
    }),
  );
});

test("many wildcards take no time", () => {
  expect(matchesPattern("a".repeat(2000), `${"%a".repeat(1000)}b`)).toBe(false);
});
