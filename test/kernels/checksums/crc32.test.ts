import fc from "fast-check";
import { expect, test } from "vitest";
import { computeCrc32, computeFallbackCrc32 } from "../../../src/kernels/checksums/checksums.js";

test.each([computeCrc32, computeFallbackCrc32])("CRC-32 of the digits is what its specification says", (checksum) => {
  expect(checksum(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
});

test("both give the same", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(computeCrc32(bytes)).toBe(computeFallbackCrc32(bytes));
    }),
  );
});
