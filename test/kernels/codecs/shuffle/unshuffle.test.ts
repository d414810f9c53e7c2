import fc from "fast-check";
import { expect, test } from "vitest";
import { unshuffle } from "../../../../src/kernels/codecs/shuffle/shuffle.js";

test("unshuffle undoes the definition of shuffle", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 17 }), (bytes, size) => {
      const count = Math.floor(bytes.length / size);
      const planes = Uint8Array.from(bytes, (byte, i) =>
        i < count * size ? bytes[(i % count) * size + Math.floor(i / count)] : byte,
      );
      expect(unshuffle(planes, size)).toEqual(bytes);
    }),
  );
});
