import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeScaleOffset } from "../../../../src/kernels/codecs/packed/scale-offset.js";
import { isAnnarrowError } from "../../../../src/model/errors.js";

const HEADER = 21;

/** The filter's settings for `count` signed integers of four bytes, little-endian, without a fill value. */
function integers(count: number, changed: Readonly<Record<number, number>> = {}): number[] {
  const values = [2, 0, count, 0, 4, 1, 0, ...new Array<number>(13).fill(0)];
  for (const [at, value] of Object.entries(changed)) values[Number(at)] = value;
  return values;
}

/** A chunk by the description of the filter: the number of bits, 8, the least value, zeros, and the packed bytes. */
function chunk(bits: number, least: number, packed: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(HEADER + packed.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bits, true);
  view.setUint8(4, 8);
  view.setBigInt64(5, BigInt(least), true);
  bytes.set(packed, HEADER);
  return bytes;
}

const decode = (bytes: Uint8Array, values: readonly number[], size = 16) =>
  decodeScaleOffset(bytes, values, { bytes: size, exact: true });
const numbers = (bytes: Uint8Array) => Array.from(new Int32Array(bytes.slice().buffer));

describe("a chunk of scale-offset", () => {
  const four = chunk(3, -100, [0b000_001_11, 0b1_010_0000]);

  test("gives its numbers", () => {
    expect(numbers(decode(four, integers(4)))).toEqual([-100, -99, -93, -98]);
  });

  test("has the fill value where all bits are set", () => {
    expect(numbers(decode(four, integers(4, { 7: 1, 8: 77 })))).toEqual([-100, -99, 77, -98]);
  });

  test.each([
    [
      "cut off inside its numbers",
      four.subarray(0, HEADER + 1),
      integers(4),
      "packed values of 23 bytes in a chunk of 22",
    ],
    ["cut off inside its header", four.subarray(0, 20), integers(4), "packed values of 21 bytes in a chunk of 20"],
    [
      "of more bits than its numbers have",
      chunk(33, 0, new Array(99).fill(0)),
      integers(4),
      "packs 33 bits of numbers of 32",
    ],
    [
      "of whole numbers, cut off",
      chunk(32, 0, new Array(15).fill(0)),
      integers(4),
      "packed values of 37 bytes in a chunk of 36",
    ],
    ["of another number of values", four, integers(5), "filter for chunks of 20 bytes, the chunk has 16"],
    ["of values of 3 bytes", four, integers(4, { 4: 3 }), "class 0 and 3 bytes"],
    ["of floats of 2 bytes", four, integers(4, { 0: 0, 3: 1, 4: 2 }), "class 1 and 2 bytes"],
    ["of another class", four, integers(4, { 3: 2 }), "class 2"],
    ["of integers with a decimal scale", four, integers(4, { 0: 0 }), "kind 0 for numbers of class 0"],
    ["of a byte order that is none", four, integers(4, { 6: 2 }), "byte order 2"],
    [
      "of more bits than integers have, by its settings",
      four,
      integers(4, { 1: 40 }),
      "packs 40 bits of integers of 32",
    ],
    ["with too few settings", four, integers(4).slice(1), "19 settings"],
  ])("%s is refused", (_, bytes, values, problem) => {
    expect(() => decode(bytes, values)).toThrow(problem);
  });

  test("of floats by powers of two is refused by name", () => {
    expect(() => decode(four, integers(4, { 0: 1, 3: 1 }))).toThrow("floats by powers of two");
  });

  test("reads nothing around itself", () => {
    const around = new Uint8Array(four.length + 40).fill(255);
    around.set(four, 20);
    const target = new Uint8Array(48).fill(9);
    const size = { bytes: 16, exact: true };
    decodeScaleOffset(around.subarray(20, 20 + four.length), integers(4), size, target.subarray(16, 32));
    expect(numbers(target.slice(16, 32))).toEqual([-100, -99, -93, -98]);
    expect(target.filter((byte) => byte === 9).length).toBe(32);
  });
});

test("any settings and bytes give as many bytes as asked for, or an error that names the filter's problem", () => {
  const setting = fc.oneof(fc.nat(9), fc.constantFrom(4, 8, 16, 2 ** 31, 2 ** 32 - 1));
  const settings = fc.oneof(
    fc.array(setting, { minLength: 20, maxLength: 20 }),
    fc.tuple(fc.nat(8), fc.nat(19), setting).map(([count, at, value]) => integers(count, { [at]: value })),
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 80 }),
    fc.tuple(fc.nat(70), fc.integer(), fc.array(fc.nat(255), { maxLength: 80 })).map((parts) => chunk(...parts)),
  );
  fc.assert(
    fc.property(bytes, settings, fc.nat(64), fc.boolean(), (stored, values, size, exact) => {
      try {
        const found = decodeScaleOffset(stored, values, { bytes: size, exact });
        // Where no bits are to be packed, the chunk comes back as it is, and the caller checks its size.
        if (found !== stored) expect(exact ? found.length === size : found.length <= size).toBe(true);
      } catch (error) {
        expect(isAnnarrowError(error)).toBe(true);
      }
    }),
    { numRuns: 5000 },
  );
});
