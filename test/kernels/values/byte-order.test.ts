import fc from "fast-check";
import { expect, test } from "vitest";
import { swapBytes } from "../../../src/kernels/values/byte-order.js";

test("every whole value is reversed, the rest stays", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), fc.constantFrom(1, 2, 3, 4, 8, 16), (bytes, size) => {
      const whole = bytes.length - (bytes.length % size);
      const expected: number[] = [];
      for (let at = 0; at < whole; at += size) expected.push(...Array.from(bytes.subarray(at, at + size)).reverse());
      expected.push(...bytes.subarray(whole));
      const swapped = bytes.slice();
      swapBytes(swapped, size);
      expect(Array.from(swapped)).toEqual(expected);
    }),
  );
});

test("big-endian numbers become native", () => {
  const bytes = Uint8Array.of(0x40, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18);
  swapBytes(bytes, 8);
  expect(new Float64Array(bytes.buffer)[0]).toBe(Math.PI);
});
