import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  computeValidity,
  convertMaskToValidity,
  findNonBoolean,
  getBitmapByteLength,
  isBitSet,
  packBits,
} from "../../../src/kernels/values/bitmap.js";
import { slowBitmap } from "../twins.js";

/** Lengths around multiples of 8 and 32 besides random ones. */
const lengths = fc.oneof(fc.constantFrom(0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65), fc.nat(300));
const masks = lengths.chain((length) => fc.array(fc.boolean(), { minLength: length, maxLength: length }));
const asBytes = (bits: readonly boolean[]) => Uint8Array.from(bits, (bit) => (bit ? 1 : 0));

describe("bitmaps", () => {
  test("hold 8 values a byte", () => {
    expect([0, 1, 7, 8, 9, 2 ** 31].map(getBitmapByteLength)).toEqual([0, 1, 1, 1, 2, 2 ** 28]);
  });

  test("are the twin's", () => {
    fc.assert(
      fc.property(masks, (bits) => {
        expect(Array.from(packBits(asBytes(bits)))).toEqual(slowBitmap(bits));
      }),
    );
  });

  test("set a bit for every byte that is not 0", () => {
    expect(Array.from(packBits(Uint8Array.of(0, 2, 255, 0, 128, 0, 0, 0, 3)))).toEqual([0b10110, 1]);
  });

  test("give each bit back", () => {
    fc.assert(
      fc.property(masks, (bits) => {
        const bitmap = packBits(asBytes(bits));
        expect(bits.map((_, i) => isBitSet(bitmap, i))).toEqual(bits);
      }),
    );
  });

  test("of what is valid are the twin's, null where nothing is missing", () => {
    fc.assert(
      fc.property(masks, (valid) => {
        const nullCount = valid.filter((one) => !one).length;
        const expected = nullCount === 0 ? null : { bitmap: Uint8Array.from(slowBitmap(valid)), nullCount };
        expect(computeValidity(valid.length, (i) => valid[i])).toEqual(expected);
      }),
    );
  });

  test("of a mask are inverted, with zeros behind the last value", () => {
    fc.assert(
      fc.property(masks, (missing) => {
        const validity = convertMaskToValidity(asBytes(missing));
        const nullCount = missing.filter(Boolean).length;
        if (nullCount === 0) expect(validity).toBeNull();
        else {
          expect(Array.from(validity?.bitmap ?? [])).toEqual(slowBitmap(missing.map((one) => !one)));
          expect(validity?.nullCount).toBe(nullCount);
        }
      }),
    );
  });

  test("find the first byte that is no boolean", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40, max: 2 }), (bytes) => {
        expect(findNonBoolean(bytes)).toBe(Array.from(bytes).findIndex((byte) => byte !== 0 && byte !== 1));
      }),
    );
  });
});
