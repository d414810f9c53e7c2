import { describe, expect, it } from "vitest";
import { loadBlockDecoder } from "../../../src/kernels/codecs/blosc/block-decoder.js";
import { decodeBloscLz } from "../../../src/kernels/codecs/blosc/compressors.js";

const load = await loadBlockDecoder();

/** What the kernel makes of a stream that lies behind 16 other bytes; null where it refuses the stream. */
function byKernel(packed: Uint8Array, size: number): Uint8Array | null {
  const frame = new Uint8Array(16 + packed.length);
  frame.set(packed, 16);
  const out = new Uint8Array(size);
  const decoder = load(frame, Math.max(size, 1), "blosclz");
  if (decoder === null) throw new Error("no room for the frame");
  return decoder.decode([{ start: 16, length: packed.length }], out, 1) ? out : null;
}

/** The same by the plain loops. */
function byLoops(packed: Uint8Array, size: number): Uint8Array | null {
  const out = new Uint8Array(size);
  try {
    decodeBloscLz(packed, out);
    return out;
  } catch {
    return null;
  }
}

/** The same numbers in every run. */
function numbers(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

/** A valid stream of random literals and matches, and the number of bytes that it gives. */
function randomStream(next: (end: number) => number, steps: number): { packed: number[]; size: number } {
  const packed: number[] = [];
  let size = 0;
  for (let i = 0; i < steps; i++) {
    if (i === 0 || next(2) === 0) {
      const count = 1 + next(32);
      packed.push(count - 1, ...Array.from({ length: count }, () => next(256)));
      size += count;
      continue;
    }
    const long = next(3) === 0;
    const more = long ? [...Array.from({ length: next(3) }, () => 255), next(255)] : [];
    const head = long ? 7 : 1 + next(6);
    const far = size > 8192 && next(2) === 0;
    const distance = far ? 8192 + next(Math.min(size - 8192, 65535)) : next(Math.min(size, 8190));
    const short = far ? 8191 : distance;
    packed.push((head << 5) | (short >> 8), ...more, short & 255);
    if (far) packed.push((distance - 8192) >> 8, (distance - 8192) & 255);
    size += head + 2 + more.reduce((sum, byte) => sum + byte, 0);
  }
  return { packed, size };
}

describe("the kernel for BloscLZ", () => {
  it("decodes literals and matches as the format says", () => {
    // Three literals, then a match of 3 + 4 bytes at a distance of 3: the upper bits of the first control byte count not.
    const packed = Uint8Array.of(0xe2, 1, 2, 3, 0xa0, 2);
    expect(byKernel(packed, 10)).toEqual(Uint8Array.of(1, 2, 3, 1, 2, 3, 1, 2, 3, 1));
  });

  it("gives what the plain loops give, near and far", () => {
    const next = numbers(1);
    for (let run = 0; run < 60; run++) {
      const { packed, size } = randomStream(next, run < 50 ? 1 + next(60) : 1500);
      const stream = Uint8Array.from(packed);
      if (stream.length === size) continue;
      const plain = byLoops(stream, size);
      expect(plain).not.toBeNull();
      expect(byKernel(stream, size)).toEqual(plain);
    }
  });

  it("refuses what the plain loops refuse", () => {
    const next = numbers(2);
    let refused = 0;
    for (let run = 0; run < 3000; run++) {
      const { packed, size } = randomStream(next, 1 + next(20));
      const stream = Uint8Array.from(packed).subarray(0, next(8) === 0 ? next(packed.length) : packed.length);
      if (stream.length > 0) stream[next(stream.length)] = next(256);
      const room = next(8) === 0 ? next(2 * size) : size;
      // Such a stream is stored, not compressed.
      if (room === stream.length) continue;
      const plain = byLoops(stream, room);
      if (plain === null) refused++;
      expect(byKernel(stream, room)).toEqual(plain);
    }
    expect(refused).toBeGreaterThan(300);
  });
});
