import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  convertPointersToNumbers,
  expandPointers,
  findLastPointerAtMost,
  findPointerDecrease,
} from "../../../src/kernels/sparse/indptr.js";
import { slowMajors, slowPointers } from "../twins.js";

const sizes = fc.array(fc.oneof(fc.constant(0), fc.nat(9)), { maxLength: 40 });
/** Pointers from the number of entries of each row. */
function cumulated(counts: readonly number[]): number[] {
  const pointers = [0];
  for (const count of counts) pointers.push(pointers[pointers.length - 1] + count);
  return pointers;
}

describe("pointers as numbers", () => {
  test("of every width are the twin's", () => {
    const arrays = fc.oneof(
      fc.int8Array(),
      fc.uint8Array(),
      fc.int16Array(),
      fc.uint16Array(),
      fc.int32Array(),
      fc.uint32Array(),
      fc.bigInt64Array({ min: -(2n ** 53n) }),
      fc.bigUint64Array(),
    );
    fc.assert(
      fc.property(arrays, (pointers) => {
        expect(Array.from(convertPointersToNumbers(pointers))).toEqual(slowPointers(pointers));
      }),
    );
  });

  test("beyond 2^53 are infinite, so that no check accepts them", () => {
    const pointers = BigUint64Array.of(2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n);
    expect(Array.from(convertPointersToNumbers(pointers))).toEqual([
      2 ** 53 - 1,
      ...Array(3).fill(Number.POSITIVE_INFINITY),
    ]);
    expect(Array.from(convertPointersToNumbers(BigInt64Array.of(2n ** 63n - 1n)))).toEqual([Number.POSITIVE_INFINITY]);
  });

  test("stay negative down to the smallest", () => {
    const numbers = convertPointersToNumbers(BigInt64Array.of(-1n, -(2n ** 32n), -(2n ** 63n)));
    expect(Array.from(numbers)).toEqual([-1, -(2 ** 32), -(2 ** 63)]);
  });

  test("of a view begin where the view does", () => {
    expect(Array.from(convertPointersToNumbers(BigInt64Array.of(7n, 8n, 9n).subarray(1)))).toEqual([8, 9]);
  });
});

describe("checks of pointers", () => {
  test("the first decrease is found", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -2, max: 6 }), { maxLength: 20 }), (pointers) => {
        const slow = pointers.findIndex((pointer, i) => i > 0 && pointer < pointers[i - 1]);
        expect(findPointerDecrease(Float64Array.from(pointers))).toBe(slow);
      }),
    );
  });

  test("the last pointer that is not above a value is found, whatever repeats", () => {
    fc.assert(
      fc.property(sizes, fc.nat(400), (counts, value) => {
        const pointers = cumulated(counts);
        const slow = pointers.findLastIndex((pointer) => pointer <= value);
        expect(findLastPointerAtMost(Float64Array.from(pointers), value)).toBe(slow);
      }),
    );
  });
});

describe("expanded pointers", () => {
  const cut = sizes.chain((counts) => {
    const total = counts.reduce((a, b) => a + b, 0);
    return fc.tuple(fc.constant(counts), fc.nat(total), fc.nat(total));
  });

  test("give every entry its row, over any range", () => {
    fc.assert(
      fc.property(cut, fc.nat(1000), ([counts, a, b], first) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        const pointers = cumulated(counts);
        const expected = slowMajors(pointers)
          .slice(start, end)
          .map((major) => first + major);
        const out = new Int32Array(end - start);
        expandPointers(Float64Array.from(pointers), first, start, end, out);
        expect(Array.from(out)).toEqual(expected);
        const wide = new BigInt64Array(end - start);
        expandPointers(Float64Array.from(pointers), first, start, end, wide);
        expect(Array.from(wide, Number)).toEqual(expected);
      }),
    );
  });

  test("reach rows beyond 2^31", () => {
    const out = new BigInt64Array(3);
    expandPointers(Float64Array.of(5, 6, 8), 2 ** 40, 5, 8, out);
    expect(Array.from(out)).toEqual([2n ** 40n, 2n ** 40n + 1n, 2n ** 40n + 1n]);
  });
});
