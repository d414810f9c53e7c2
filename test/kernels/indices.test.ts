import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstOutside, narrowToInt32, widenToInt64 } from "../../src/kernels/indices.js";

const signed = fc.oneof(
  fc.int8Array(),
  fc.int16Array(),
  fc.int32Array(),
  fc.bigInt64Array({ min: -(2n ** 40n), max: 2n ** 40n }),
);
const unsigned = fc.oneof(fc.uint8Array(), fc.uint16Array(), fc.uint32Array(), fc.bigUint64Array());
const small = { min: 0, max: 127 };
const inRange = fc.oneof(
  fc.int8Array(small),
  fc.uint8Array(small),
  fc.int16Array(small),
  fc.uint16Array(),
  fc.int32Array({ min: 0 }),
  fc.uint32Array({ max: 2 ** 31 - 1 }),
  fc.bigInt64Array({ min: 0n, max: 2n ** 31n - 1n }),
  fc.bigUint64Array({ max: 2n ** 31n - 1n }),
);

describe("indices", () => {
  test("outside their limit are found", () => {
    fc.assert(
      fc.property(fc.oneof(signed, unsigned), fc.oneof(fc.nat(300), fc.nat(2 ** 31)), (indices, limit) => {
        const slow = Array.from<number | bigint>(indices).findIndex((index) => index < 0 || index >= limit);
        expect(firstOutside(indices, limit)).toBe(slow);
      }),
    );
  });

  test("at the border of 64 bits are outside", () => {
    expect(firstOutside(BigUint64Array.of(0n, 2n ** 64n - 1n), 2 ** 53 - 1)).toBe(1);
    expect(firstOutside(BigInt64Array.of(0n, -(2n ** 63n)), 2 ** 53 - 1)).toBe(1);
    expect(firstOutside(new Int32Array(0), 0)).toBe(-1);
    expect(firstOutside(Uint8Array.of(0), 0)).toBe(0);
  });

  test("become Int32 without change", () => {
    fc.assert(
      fc.property(inRange, (indices) => {
        expect(Array.from(narrowToInt32(indices))).toEqual(Array.from(indices, Number));
      }),
    );
  });

  test("become Int64 without change", () => {
    fc.assert(
      fc.property(fc.oneof(signed, inRange), (indices) => {
        expect(Array.from(widenToInt64(indices))).toEqual(
          Array.from<number | bigint, bigint>(indices, (index) => BigInt(index)),
        );
      }),
    );
  });

  test("of a view begin where the view does", () => {
    expect(Array.from(narrowToInt32(BigInt64Array.of(1n, 2n, 3n).subarray(1)))).toEqual([2, 3]);
    expect(Array.from(widenToInt64(BigUint64Array.of(1n, 2n, 3n).subarray(2)))).toEqual([3n]);
  });

  test("that have the type already are not copied", () => {
    const [narrow, wide] = [Int32Array.of(1), BigInt64Array.of(1n)];
    expect(narrowToInt32(narrow)).toBe(narrow);
    expect(widenToInt64(wide)).toBe(wide);
  });
});
