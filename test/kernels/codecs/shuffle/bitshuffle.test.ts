import fc from "fast-check";
import { expect, test } from "vitest";
import { unbitshuffle } from "../../../../src/kernels/codecs/shuffle/bitshuffle.js";

test("unbitshuffle undoes the definition of bitshuffle", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 9 }),
      fc.integer({ min: 1, max: 17 }),
      fc.infiniteStream(fc.nat(255)),
      (n, size, random) => {
        const count = 8 * n;
        const bytes = Uint8Array.from({ length: count * size }, () => random.next().value);
        const planes = new Uint8Array(bytes.length);
        for (let value = 0; value < count; value++) {
          for (let bit = 0; bit < 8 * size; bit++) {
            const set = (bytes[value * size + (bit >> 3)] >> (bit & 7)) & 1;
            planes[bit * n + (value >> 3)] |= set << (value & 7);
          }
        }
        const out = new Uint8Array(bytes.length);
        unbitshuffle(planes, out, size);
        expect(out).toEqual(bytes);
      },
    ),
  );
});
