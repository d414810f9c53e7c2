import fc from "fast-check";
import { expect, test } from "vitest";
import { copyToOwnMemory } from "../../../src/kernels/values/copy-bytes.js";

test("the same bytes, in memory that holds nothing else and is hardly larger", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      const own = copyToOwnMemory(bytes);
      expect(own).toEqual(bytes);
      expect(own.buffer).not.toBe(bytes.buffer);
      expect(own.buffer.byteLength - bytes.length).toBeLessThanOrEqual(Math.max(8, bytes.length / 8));
    }),
  );
});

test("sizes that are alike take memory of the same size", () => {
  const sizes = new Set<number>();
  for (let length = 2 ** 20; length < 2 ** 21; length += 997) {
    sizes.add(copyToOwnMemory(new Uint8Array(length)).buffer.byteLength);
  }
  expect(sizes.size).toBeLessThanOrEqual(9);
});
