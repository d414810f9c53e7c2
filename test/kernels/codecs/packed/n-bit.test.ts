import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeNBit } from "../../../../src/kernels/codecs/packed/n-bit.js";
import { isAnnarrowError } from "../../../../src/model/errors.js";

const [NUMBER, ARRAY, RECORD, BYTES] = [1, 2, 3, 4];

/** The filter's settings for `count` elements of a type. */
const settings = (count: number, type: readonly number[]) => [type.length + 3, 0, count, ...type];

/** The least significant `bits` bits of a number, the most significant one first. */
const bitsOf = (value: bigint, bits: number) =>
  Array.from({ length: bits }, (_, i) => Number((value >> BigInt(bits - 1 - i)) & 1n));

function packed(bits: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, i) => {
    bytes[i >> 3] |= bit << (7 - (i & 7));
  });
  return bytes;
}

/** A number as its type stores it without the filter. */
function plain(value: bigint, size: number, offset: number, isLittle: boolean): number[] {
  const little = Array.from({ length: size }, (_, i) => Number(((value << BigInt(offset)) >> BigInt(8 * i)) & 255n));
  return isLittle ? little : little.reverse();
}

const decode = (bytes: Uint8Array, values: readonly number[], size: number) =>
  decodeNBit(bytes, values, { bytes: size, exact: true });

describe("numbers", () => {
  const types = fc
    .record({ size: fc.integer({ min: 1, max: 20 }), isLittle: fc.boolean(), seed: fc.nat(), from: fc.nat() })
    .map(({ size, isLittle, seed, from }) => {
      const bits = 1 + (seed % (8 * size));
      return { size, isLittle, bits, offset: from % (8 * size - bits + 1) };
    });
  const values = fc.array(fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }), { minLength: 1, maxLength: 9 });

  test("of any size, place and order are where their type has them", () => {
    fc.assert(
      fc.property(types, values, ({ size, isLittle, bits, offset }, all) => {
        const cut = all.map((value) => BigInt.asUintN(bits, value));
        const stored = packed(cut.flatMap((value) => bitsOf(value, bits)));
        const found = decode(
          stored,
          settings(all.length, [NUMBER, size, isLittle ? 0 : 1, bits, offset]),
          size * all.length,
        );
        expect([...found]).toEqual(cut.flatMap((value) => plain(value, size, offset, isLittle)));
      }),
      { numRuns: 2000 },
    );
  });
});

/** As libhdf5 2.0 stores `{m: {a: i20, b: i20}[2], n: i20}`: it loses `n`, and cannot read its own chunk. */
test("a member behind an array of records, which libhdf5 loses, is refused", () => {
  const inner = [RECORD, 8, 2, 0, NUMBER, 4, 0, 20, 0, 4, NUMBER, 4, 0, 20, 0];
  const array = [ARRAY, 16, ...inner];
  const bytes = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0x1f, 0xff, 0xff);
  const outer = [RECORD, 20, 2, 0, ...array, 16, NUMBER, 4, 0, 20, 0];
  expect(() => decode(bytes, settings(1, outer), 20)).toThrow("a member behind an array of records");
  const alone = decode(bytes, settings(1, array), 16);
  expect([...new Int32Array(alone.slice().buffer)]).toEqual([0, 0, 1, 0xfffff]);
});

describe("a chunk of n-bit", () => {
  const bytes = Uint8Array.of(0xff, 0xff, 0xff);
  const i10 = [NUMBER, 2, 0, 10, 3];

  test("gives its values", () => {
    expect([...decode(bytes, settings(2, i10), 4)]).toEqual([0xf8, 0x1f, 0xf8, 0x1f]);
  });

  test("of a type that uses all of its bits is as it is", () => {
    expect(decode(bytes, [3, 1, 3], 3)).toBe(bytes);
  });

  const nested = Array.from({ length: 40 }, () => [ARRAY, 2]).flat();
  test.each([
    ["cut off", bytes.subarray(0, 2), settings(2, i10), 4, "packed values of 3 bytes in a chunk of 2"],
    ["of another number of values", bytes, settings(3, i10), 4, "filter for chunks of 6 bytes, the chunk has 4"],
    [
      "of more bits than its type has",
      bytes,
      settings(2, [NUMBER, 2, 0, 10, 7]),
      4,
      "10 bits from bit 7 on in 2 bytes",
    ],
    ["of no bits", bytes, settings(2, [NUMBER, 2, 0, 0, 0]), 4, "no bit is stored"],
    ["of an order that is none", bytes, settings(2, [NUMBER, 2, 2, 10, 3]), 4, "byte order 2"],
    ["of a class that is none", bytes, settings(2, [9, 2]), 4, "class 9"],
    ["of a type that is cut off", bytes, settings(2, i10.slice(0, 4)), 4, "is cut off"],
    ["of another number of settings", bytes, [9, ...settings(2, i10).slice(1)], 4, "8 settings, of 9 in all"],
    ["without settings", bytes, [], 4, "0 settings"],
    [
      "of an array with a part of an item",
      bytes,
      settings(2, [ARRAY, 3, ...i10]),
      6,
      "array of 3 bytes, of items of 2",
    ],
    ["of a record with a member outside", bytes, settings(1, [RECORD, 4, 1, 3, ...i10]), 4, "member of 2 bytes at 3"],
    [
      "of a record with members that are too large",
      bytes,
      settings(1, [RECORD, 3, 2, 0, ...i10, 0, ...i10]),
      3,
      "member of 2",
    ],
    ["of a record without members", bytes, settings(1, [RECORD, 4, 0]), 4, "no bit is stored"],
    ["of a type that is nested too deep", bytes, settings(1, [...nested, ...i10]), 2, "nested more than 32 deep"],
  ])("%s is refused", (_, stored, values, size, problem) => {
    expect(() => decode(stored, values, size)).toThrow(problem);
  });
});

test("any settings and bytes give as many bytes as asked for, or an error that names the filter's problem", () => {
  const setting = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom(16, 2 ** 31, 2 ** 32 - 1));
  const type = fc.oneof(
    fc.array(setting, { maxLength: 30 }),
    fc
      .array(fc.constantFrom([NUMBER, 2, 0, 9, 3], [ARRAY, 4], [RECORD, 8, 2, 0], [BYTES, 3], [4]), { maxLength: 8 })
      .map((parts) => parts.flat()),
  );
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.nat(6),
      type,
      fc.nat(40),
      fc.boolean(),
      (stored, count, kind, size, exact) => {
        try {
          const found = decodeNBit(stored, settings(count, kind), { bytes: size, exact });
          expect(exact ? found.length === size : found.length <= size).toBe(true);
        } catch (error) {
          expect(isAnnarrowError(error)).toBe(true);
        }
      },
    ),
    { numRuns: 5000 },
  );
});
