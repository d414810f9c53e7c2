import fc from "fast-check";
import { expect, test } from "vitest";
import { createBlockEncoder } from "../../../../src/kernels/codecs/blosc/blocks.js";
import { decodeLz4Block } from "../../../../src/kernels/codecs/lz4/lz4.js";
import { shuffle } from "../../../../src/kernels/codecs/shuffle/shuffle.js";
import { encodeSlowLz4 } from "./slow-encoder.js";

const runs = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 400 })), { maxLength: 20 })
  .map((parts) => Buffer.concat(parts.map(([part, count]) => Buffer.alloc(part.length * count, part))));
const bytes = fc.oneof(fc.uint8Array({ maxLength: 300, max: 3 }), fc.uint8Array({ maxLength: 300 }), runs);

test("what is decoded is what was encoded", () => {
  fc.assert(
    fc.property(bytes, (plain) => {
      const out = new Uint8Array(plain.length);
      decodeLz4Block(encodeSlowLz4(plain), out);
      expect(Buffer.compare(out, plain)).toBe(0);
    }),
    { numRuns: 500 },
  );
});

test("a block ends as the format asks for: five literals, no match in the last twelve bytes", () => {
  // One literal, a match of the next fourteen bytes, five literals.
  expect([...encodeSlowLz4(new Uint8Array(20))]).toEqual([0x1a, 0, 1, 0, 0x50, 0, 0, 0, 0, 0]);
  expect([...encodeSlowLz4(new Uint8Array(13))]).toEqual([0x13, 0, 1, 0, 0x50, 0, 0, 0, 0, 0]);
  expect([...encodeSlowLz4(new Uint8Array(12))]).toEqual([0xc0, ...new Uint8Array(12)]);
  expect([...encodeSlowLz4(new Uint8Array(0))]).toEqual([0]);
});

test("distances of 65,535 bytes are the farthest", () => {
  let state = 1;
  const noise = Uint8Array.from({ length: 140_000 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  for (const distance of [65_534, 65_535, 65_536, 65_537]) {
    const plain = noise.slice(0, distance + 3000);
    plain.set(plain.subarray(0, 3000), distance);
    const packed = encodeSlowLz4(plain);
    const out = new Uint8Array(plain.length);
    decodeLz4Block(packed, out);
    expect(Buffer.compare(out, plain)).toBe(0);
    if (distance > 65_535) expect(packed.length).toBeGreaterThan(plain.length);
  }
});

test("WebAssembly gives the bytes of the slow loop", async () => {
  const sizes = fc.constantFrom(1, 2, 3, 4, 8, 16);
  await fc.assert(
    fc.asyncProperty(bytes, sizes, fc.boolean(), async (plain, valueSize, split) => {
      const streams = split && plain.length % valueSize === 0 ? valueSize : 1;
      const kernel = await createBlockEncoder("lz4", 5, 50_000);
      const planes = valueSize === 1 ? plain : shuffle(plain, valueSize);
      const size = plain.length / streams;
      const expected = Array.from({ length: streams }, (_, i) => {
        const stream = planes.subarray(i * size, (i + 1) * size);
        const packed = encodeSlowLz4(stream);
        return packed.length < size ? packed : stream;
      });
      const found = kernel(plain, valueSize, streams);
      expect(found.map((stream, i) => Buffer.compare(stream, expected[i]))).toEqual(expected.map(() => 0));
      for (const [i, stream] of expected.entries()) {
        const out = new Uint8Array(size);
        if (stream.length === size) out.set(stream);
        else decodeLz4Block(stream, out);
        expect(Buffer.compare(out, planes.subarray(i * size, (i + 1) * size))).toBe(0);
      }
    }),
    { numRuns: 500 },
  );
});
