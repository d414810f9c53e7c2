import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toTemporalColumn } from "../../src/arrow/temporal.js";
import { InvalidDataError, UnsupportedError } from "../../src/model/errors.js";
import type { TimeUnit } from "../../src/model/stored.js";
import { roundTrip } from "./plain.js";

const NAT = -(2n ** 63n);
const datetimes = (unit: TimeUnit, ticks: readonly bigint[], step = 1) =>
  toTemporalColumn("datetime", unit, step, BigInt64Array.from(ticks));

describe("times", () => {
  test.each(["s", "ms", "us", "ns"] as const)("in %s stay as they are, NaT is null", (unit) => {
    expect(roundTrip(datetimes(unit, [0n, NAT, 2n ** 63n - 1n, -(2n ** 63n) + 1n]))).toEqual([
      0n,
      null,
      2n ** 63n - 1n,
      -(2n ** 63n) + 1n,
    ]);
  });

  test.each([
    ["m", 60n],
    ["h", 3600n],
    ["D", 86_400n],
    ["W", 604_800n],
  ] as const)("in %s become seconds", (unit, seconds) => {
    expect(roundTrip(datetimes(unit, [-3n, NAT, 5n]))).toEqual([-3n * seconds, null, 5n * seconds]);
    expect(roundTrip(toTemporalColumn("timedelta", unit, 2, BigInt64Array.of(5n)))).toEqual([10n * seconds]);
  });

  test("steps count", () => {
    expect(roundTrip(datetimes("us", [3n, NAT], 15))).toEqual([45n, null]);
  });

  test("in months and years are the first of the month in the proleptic Gregorian calendar", () => {
    fc.assert(
      fc.property(fc.integer({ min: -240_000, max: 240_000 }), (months) => {
        const date = new Date(0);
        date.setUTCFullYear(1970, months, 1);
        expect(roundTrip(datetimes("M", [BigInt(months)]))).toEqual([BigInt(date.getTime() / 1000)]);
        if (months % 12 === 0) {
          expect(roundTrip(datetimes("Y", [BigInt(months / 12)]))).toEqual([BigInt(date.getTime() / 1000)]);
        }
      }),
    );
  });

  test.each(["Y", "M"] as const)("differences in %s have no length", (unit) => {
    expect(() => toTemporalColumn("timedelta", unit, 1, BigInt64Array.of(1n))).toThrow(UnsupportedError);
  });

  test.each(["ps", "fs", "as", "generic"] as const)("in %s have no Arrow type", (unit) => {
    expect(() => datetimes(unit, [1n])).toThrow(UnsupportedError);
    expect(() => datetimes(unit, [1n])).toThrow(unit);
  });

  test("that leave 64 bits are an error with value and place", () => {
    expect(() => datetimes("W", [0n, 2n ** 60n])).toThrow(InvalidDataError);
    expect(() => datetimes("W", [0n, 2n ** 60n])).toThrow(/time 1152921504606846976 W at 1 .* 64-bit s/);
    // NaT itself must not come out of a multiplication.
    expect(() => datetimes("ns", [-(2n ** 62n)], 2)).toThrow(InvalidDataError);
  });
});
