import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PageBuffer } from "../../../src/kernels/parquet/page-buffer.js";
import { encodeDeltaInt32, encodeDeltaInt64 } from "./loops/delta-binary-packed.js";
import { slowDelta } from "./twins.js";

function fast32(values: readonly number[]): number[] {
  const out = new PageBuffer(1);
  encodeDeltaInt32(Int32Array.from(values), out);
  return [...out.written()];
}

function fast64(values: readonly bigint[]): number[] {
  const out = new PageBuffer(1);
  encodeDeltaInt64(new Int32Array(BigInt64Array.from(values).buffer), out);
  return [...out.written()];
}

const slow32 = (values: readonly number[]) => slowDelta(values.map(BigInt), 32);
const LENGTHS = [0, 1, 2, 31, 32, 33, 34, 127, 128, 129, 130, 160, 161, 256, 257, 258, 1000];
/** Steps below 2^bits, so that every width of a miniblock occurs. */
const stepped = (most: bigint, bits: number) =>
  fc.array(fc.bigInt(0n, most), { minLength: 1, maxLength: 300 }).map((steps) => {
    let value = 0n;
    return steps.map((step) => {
      value = BigInt.asIntN(bits, value + step);
      return value;
    });
  });

describe("deltaInt32", () => {
  test("the example of the format's description", () => {
    // "1, 2, 3, 4, 5" has the differences 1, 1, 1, 1: least difference 1, all widths 0.
    expect(fast32([1, 2, 3, 4, 5])).toEqual([0x80, 1, 4, 5, 2, 2, 0, 0, 0, 0]);
  });

  test.each(LENGTHS)("%i values", (length) => {
    const values = Array.from({ length }, (_, i) => (i * i * 7919) % 1000);
    expect(fast32(values)).toEqual(slow32(values));
  });

  test("differences wrap", () => {
    const values = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 2 ** 31 - 1 : -(2 ** 31)));
    expect(fast32(values)).toEqual(slow32(values));
  });

  test("like the slow one, for every width", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 32 }).chain((width) => stepped(2n ** BigInt(width) - 1n, 32)),
        (values) => {
          const numbers = values.map(Number);
          expect(fast32(numbers)).toEqual(slow32(numbers));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("deltaInt64", () => {
  test.each(LENGTHS)("%i values", (length) => {
    const values = Array.from({ length }, (_, i) => BigInt(i * i * 7919) * 12345678901n);
    expect(fast64(values)).toEqual(slowDelta(values, 64));
  });

  test("differences wrap", () => {
    const values = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 2n ** 63n - 1n : -(2n ** 63n)));
    expect(fast64(values)).toEqual(slowDelta(values, 64));
  });

  test("like the slow one, for every width", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 64 }).chain((width) => stepped(2n ** BigInt(width) - 1n, 64)),
        (values) => {
          expect(fast64(values)).toEqual(slowDelta(values, 64));
        },
      ),
      { numRuns: 200 },
    );
  });
});
