import fc from "fast-check";
import { expect, test } from "vitest";
import { convertFixedText, type Padding } from "../../../src/kernels/text/fixed-text.js";
import { slowTexts, slowUnpadded } from "../twins.js";

const paddings: readonly Padding[] = ["nullterm", "nullpad", "spacepad"];
const byte = fc.constantFrom(0, 0x20, 0x41, 0xc3);

test.each(paddings)("%s: every value ends where the twin's does", (padding) => {
  const texts = fc
    .tuple(fc.nat(9), fc.nat(20))
    .chain(([width, count]) =>
      fc.tuple(
        fc.constant(width),
        fc.constant(count),
        fc.array(byte, { minLength: width * count, maxLength: width * count }),
      ),
    );
  fc.assert(
    fc.property(texts, ([width, count, bytes]) => {
      const stored = Uint8Array.from(bytes);
      const text = convertFixedText(stored, width, count, padding);
      const expected = Array.from({ length: count }, (_, i) =>
        slowUnpadded(stored.subarray(i * width, (i + 1) * width), padding),
      );
      expect(slowTexts(text.offsets, text.bytes).map((value) => Array.from(value))).toEqual(expected);
    }),
  );
});

test.each([
  ["nullterm", "ab"],
  ["nullpad", "ab\0c"],
  ["spacepad", "ab\0c"],
] as const)("%s: %j of ab, NUL, c, NUL, NUL", (padding, expected) => {
  const { offsets, bytes } = convertFixedText(new TextEncoder().encode("ab\0c\0\0"), 6, 1, padding);
  expect(new TextDecoder().decode(bytes)).toBe(expected);
  expect(Array.from(offsets)).toEqual([0, expected.length]);
});
