import fc from "fast-check";
import { expect, test } from "vitest";
import { copyStrided } from "../../../src/kernels/dense/copy-strided.js";

test("every n-th value is copied, whatever its size and wherever the bytes lie", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(1, 2, 3, 4, 8),
      fc.nat(5),
      fc.nat(6),
      fc.nat(9),
      fc.nat(3),
      fc.nat(4),
      (size, first, stride, count, at, offset) => {
        const length = (first + Math.max(0, count - 1) * stride + 1) * size;
        const source = Uint8Array.from({ length: offset + length }, (_, i) => (i * 7) % 251).subarray(offset);
        const target = new Uint8Array((at + count) * size).fill(9);
        copyStrided(source, size, first, stride, target, at, count);
        const expected = Array.from({ length: at * size }, () => 9);
        for (let i = 0; i < count; i++) {
          const from = (first + i * stride) * size;
          expected.push(...source.subarray(from, from + size));
        }
        expect(Array.from(target)).toEqual(expected);
      },
    ),
  );
});
