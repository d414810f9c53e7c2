import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeStatistic, joinRanges } from "../../../src/kernels/parquet/statistics.js";
import { findValueRange } from "./loops/value-range.js";
import { slowFloatRange } from "./twins.js";

const words = (array: ArrayBufferView) => new Int32Array(array.buffer, array.byteOffset, array.byteLength / 4);
const sorted = <T extends number | bigint>(values: readonly T[]) =>
  [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

describe("rangeOf", () => {
  test.each([
    ["int32", fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (v: number[]) => Int32Array.from(v)],
    ["uint32", fc.integer({ min: 0, max: 2 ** 32 - 1 }), (v: number[]) => Uint32Array.from(v)],
  ] as const)("of %s", (order, value, array) => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        const expected = sorted(values);
        expect(findValueRange(words(array(values)), order)).toEqual({ least: expected[0], greatest: expected.at(-1) });
      }),
    );
  });

  test.each([
    ["int64", fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (v: bigint[]) => BigInt64Array.from(v)],
    ["int64", fc.bigInt(-3n, 3n), (v: bigint[]) => BigInt64Array.from(v)],
    ["uint64", fc.bigInt(0n, 2n ** 64n - 1n), (v: bigint[]) => BigUint64Array.from(v)],
  ] as const)("of %s", (order, value, array) => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        const expected = sorted(values);
        expect(findValueRange(words(array(values)), order)).toEqual({ least: expected[0], greatest: expected.at(-1) });
      }),
    );
  });

  test.each([
    ["float32", fc.float(), (v: number[]) => Float32Array.from(v)],
    ["float64", fc.double(), (v: number[]) => Float64Array.from(v)],
  ] as const)("of %s leaves NaN out", (order, value, array) => {
    fc.assert(
      fc.property(fc.array(value), (values) => {
        const range = findValueRange(words(array(values)), order);
        const expected = slowFloatRange(values);
        // Which zero does not matter here (-0 + 0 is 0): the bytes have their own rule.
        const found = range === null ? null : [Number(range.least) + 0, Number(range.greatest) + 0];
        expect(found).toEqual(expected === null ? null : expected.map((bound) => bound + 0));
      }),
    );
  });
});

test("ranges join, an empty one changes nothing", () => {
  expect(joinRanges({ least: 1, greatest: 4 }, { least: -2, greatest: 3 })).toEqual({ least: -2, greatest: 4 });
  expect(joinRanges(null, { least: 1n, greatest: 2n })).toEqual({ least: 1n, greatest: 2n });
  expect(joinRanges(null, null)).toBeNull();
});

test("bounds are PLAIN bytes, zeros signed outwards", () => {
  expect([...encodeStatistic(0, "float32", "least")]).toEqual([0, 0, 0, 0x80]);
  expect([...encodeStatistic(-0, "float32", "greatest")]).toEqual([0, 0, 0, 0]);
  expect([...encodeStatistic(-0, "float64", "greatest")]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  expect([...encodeStatistic(-2, "int32", "least")]).toEqual([0xfe, 0xff, 0xff, 0xff]);
  expect([...encodeStatistic(2 ** 32 - 1, "uint32", "greatest")]).toEqual([0xff, 0xff, 0xff, 0xff]);
  expect([...encodeStatistic(-1n, "int64", "least")]).toEqual(Array(8).fill(0xff));
  expect([...encodeStatistic(2n ** 63n, "uint64", "least")]).toEqual([0, 0, 0, 0, 0, 0, 0, 0x80]);
});
