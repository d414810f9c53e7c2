import fc from "fast-check";
import { expect, test } from "vitest";
import { shuffle, shuffleInto, unshuffle } from "../../../../src/kernels/codecs/shuffle/shuffle.js";

/** The definition: byte i of every value, for all i, and what is left over. */
function slowShuffle(bytes: Uint8Array, size: number): Uint8Array {
  const count = Math.floor(bytes.length / size);
  return Uint8Array.from(bytes, (byte, i) =>
    i < count * size ? bytes[(i % count) * size + Math.floor(i / count)] : byte,
  );
}

function noise(length: number, seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

test("shuffle is its definition, and unshuffle undoes it", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 17 }), (bytes, size) => {
      const planes = shuffle(bytes, size);
      expect(planes).toEqual(slowShuffle(bytes, size));
      expect(unshuffle(planes, size)).toEqual(bytes);
    }),
  );
});

test.each([2, 3, 4, 8, 16])("many values of %i bytes", (size) => {
  fc.assert(
    fc.property(fc.integer({ min: 16_000, max: 80_000 }), fc.nat(), fc.nat({ max: 20 }), (length, seed, offset) => {
      const bytes = noise(length + offset, seed).subarray(offset);
      const around = new Uint8Array(length + 32).fill(7);
      shuffleInto(bytes, around.subarray(16, 16 + length), size);
      expect(Buffer.compare(around.subarray(16, 16 + length), slowShuffle(bytes, size))).toBe(0);
      expect([...around.subarray(0, 16), ...around.subarray(16 + length)].every((byte) => byte === 7)).toBe(true);
    }),
    { numRuns: 20 },
  );
});
