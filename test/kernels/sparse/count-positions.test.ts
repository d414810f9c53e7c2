import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { convertCountsToPointers, countPositions } from "../../../src/kernels/sparse/count-positions.js";
import type { IntArray } from "../../../src/model/stored.js";

/** One position at a time. */
function slowCounts(positions: readonly number[], previous: number, counts: number[]): number {
  for (const [i, position] of positions.entries()) {
    const before = i === 0 ? previous : positions[i - 1];
    if (position < before || position < 0 || position >= counts.length) return i;
    counts[position] += 1;
  }
  return -1;
}

const ARRAYS: readonly ((positions: readonly number[]) => IntArray)[] = [
  (positions) => Int8Array.from(positions),
  (positions) => Uint8Array.from(positions),
  (positions) => Int16Array.from(positions),
  (positions) => Uint16Array.from(positions),
  (positions) => Int32Array.from(positions),
  (positions) => Uint32Array.from(positions),
  (positions) => BigInt64Array.from(positions, BigInt),
  (positions) => BigUint64Array.from(positions, BigInt),
];

describe("counting positions", () => {
  const nearlySorted = fc
    .tuple(fc.array(fc.nat(30), { maxLength: 60 }), fc.option(fc.tuple(fc.nat(59), fc.nat(30))))
    .map(([numbers, wrong]) => {
      const sorted = numbers.sort((a, b) => a - b);
      if (wrong !== null && wrong[0] < sorted.length) sorted[wrong[0]] = wrong[1];
      return sorted;
    });

  test("of every width is the twin's, up to the first wrong one", () => {
    fc.assert(
      fc.property(nearlySorted, fc.nat(10), fc.integer({ min: 1, max: 40 }), (positions, previous, size) => {
        const expected = new Array<number>(size).fill(0);
        const wrong = slowCounts(positions, previous, expected);
        for (const make of ARRAYS) {
          const counts = new Float64Array(size);
          expect(countPositions(make(positions), previous, counts)).toBe(wrong);
          expect(Array.from(counts)).toEqual(expected);
        }
      }),
    );
  });

  test("goes on from batch to batch", () => {
    const counts = new Float64Array(4);
    expect(countPositions(Int32Array.of(0, 0, 2), 0, counts)).toBe(-1);
    expect(countPositions(Int32Array.of(2, 3), 2, counts)).toBe(-1);
    expect(countPositions(Int32Array.of(2, 3), 3, counts)).toBe(0);
    expect(Array.from(counts)).toEqual([2, 0, 2, 1]);
    expect(pieces(counts)).toEqual([[0, 2, 2, 4, 5]]);
    expect(pieces(new Float64Array(0))).toEqual([[0]]);
    expect(pieces(counts, 2)).toEqual([[0, 2], [2, 4], [5]]);
    expect(pieces(counts, 5)).toEqual([[0, 2, 2, 4, 5]]);
  });

  test.each([
    ["negative", Int32Array.of(0, -1)],
    ["negative, of 64 bits", BigInt64Array.of(0n, -1n)],
    ["beyond 2^32", BigInt64Array.of(0n, 2n ** 32n + 1n)],
    ["of a view", BigUint64Array.of(9n, 0n, 2n ** 63n).subarray(1)],
  ])("stops at a position that is out of range: %s", (_, positions) => {
    const counts = new Float64Array(2);
    expect(countPositions(positions, 0, counts)).toBe(1);
    expect(Array.from(counts)).toEqual([1, 0]);
  });
});

const pieces = (counts: Float64Array, atOnce?: number) =>
  [...convertCountsToPointers(counts, atOnce)].map((one) => [...one]);
