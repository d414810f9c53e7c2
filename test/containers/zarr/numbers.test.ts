import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { float16Bits } from "../../../src/containers/zarr/metadata/fill-value.js";
import { adler32, crc32, crc32c } from "../../../src/kernels/checksums/checksums.js";
import { crc64 } from "../../../src/kernels/codecs/xz/xz.js";

describe("checksums", () => {
  it("have their published check values", () => {
    const bytes = new TextEncoder().encode("123456789");
    expect(crc32(bytes)).toBe(0xcbf43926);
    expect(crc32c(bytes)).toBe(0xe3069283);
    expect(adler32(bytes)).toBe(0x091e01de);
    expect(crc64(bytes)).toBe(0x995dc9bbdf1939fan);
  });

  it("agree with the bit-by-bit definition", () => {
    const slow = (bytes: Uint8Array, polynomial: number) => {
      let crc = 0xffffffff;
      for (const byte of bytes) {
        crc ^= byte;
        for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (polynomial & -(crc & 1));
      }
      return (crc ^ 0xffffffff) >>> 0;
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(crc32(bytes)).toBe(slow(bytes, 0xedb88320));
        expect(crc32c(bytes)).toBe(slow(bytes, 0x82f63b78));
      }),
    );
  });
});

describe("float16Bits", () => {
  /** IEEE 754 binary16. */
  function value(bits: number): number {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
    return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
  }

  it("gives every float16 its own bits", () => {
    const wrong = [];
    for (let bits = 0; bits < 65536; bits++) {
      if (!Number.isNaN(value(bits)) && float16Bits(value(bits)) !== bits) wrong.push(bits);
    }
    expect(wrong).toEqual([]);
    expect(float16Bits(Number.NaN) & 0x7e00).toBe(0x7e00);
  });

  it("rounds to the nearest, ties to even", () => {
    for (let bits = 0; bits < 0x7bff; bits++) {
      const middle = (value(bits) + value(bits + 1)) / 2;
      if (float16Bits(middle) !== bits + (bits & 1)) expect([bits, float16Bits(middle)]).toEqual([]);
    }
    expect([65519, 65520, -65520].map(float16Bits)).toEqual([0x7bff, 0x7c00, 0xfc00]);
  });
});
