import { expect, test } from "vitest";
import { toExactTicks } from "../../../../src/readers/matlab/values/times.js";

test.each([
  [[0, 1709208000123, -1], null, "ms", true, [0n, 1709208000123n, -1n]],
  [[0.5, Number.NaN, -1.25], null, "us", true, [500n, null, -1250n]],
  // 2^-12 ms is no whole number of ns; 0.5 ns is rounded to the even one.
  [[2 ** -12], null, "ns", false, [244n]],
  [[2 ** -20], null, "ns", false, [1n]],
  // What one double cannot hold stands in the second.
  [[1709208000123], [0.000244140625], "ns", false, [1709208000123000244n]],
  [[1709208000123], [0.5], "us", true, [1709208000123500n]],
  [[], null, "ms", true, []],
])("%j and %j are ticks of %s", (high, low, unit, exact, values) => {
  const ticks = toExactTicks(Float64Array.from(high), low === null ? null : Float64Array.from(low));
  expect(ticks).toEqual({ unit, exact, values });
});

test("infinite times, and those beyond 64 bits, have no ticks", () => {
  expect(toExactTicks(Float64Array.of(Number.POSITIVE_INFINITY), null)).toBe(null);
  expect(toExactTicks(Float64Array.of(1e300), null)).toBe(null);
});
