import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeAdler32, computeCrc32, crc32c } from "../../../src/kernels/checksums/checksums.js";
import { computeCrc64 } from "../../../src/kernels/codecs/xz.js";

describe("checksums", () => {
  it("have their published check values", () => {
    const bytes = new TextEncoder().encode("123456789");
    expect(computeCrc32(bytes)).toBe(0xcbf43926);
    expect(crc32c(bytes)).toBe(0xe3069283);
    expect(computeAdler32(bytes)).toBe(0x091e01de);
    expect(computeCrc64(bytes)).toBe(0x995dc9bbdf1939fan);
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
        expect(computeCrc32(bytes)).toBe(slow(bytes, 0xedb88320));
        expect(crc32c(bytes)).toBe(slow(bytes, 0x82f63b78));
      }),
    );
  });
});
