import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeLzf, decodeLzfInto } from "../../../src/kernels/codecs/lzf.js";
import { unshuffle } from "../../../src/kernels/codecs/shuffle/shuffle.js";
import { swapBytes } from "../../../src/kernels/values/byte-order.js";
import { getByteKernels } from "../../../src/kernels/values/bytes-wasm.js";

const LARGE = 20_000;

test("few bytes need no kernel", () => {
  expect(getByteKernels(100)).toBe(null);
  expect(getByteKernels(LARGE)).not.toBe(null);
});

function noise(length: number, seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

describe.each([2, 4, 8])("values of %i bytes", (size) => {
  const lengths = fc.integer({ min: LARGE, max: 5 * LARGE });

  test("are joined from their planes", () => {
    fc.assert(
      fc.property(lengths, fc.nat(), fc.nat({ max: 20 }), (length, seed, offset) => {
        const bytes = noise(length, seed);
        const count = Math.floor(length / size);
        const planes = new Uint8Array(length + offset).subarray(offset);
        bytes.forEach((byte, i) => {
          planes[i < count * size ? (i % size) * count + Math.floor(i / size) : i] = byte;
        });
        expect(Buffer.compare(unshuffle(planes, size), bytes)).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  test("are turned round, the rest stays", () => {
    fc.assert(
      fc.property(lengths, fc.nat(), (length, seed) => {
        const bytes = noise(length + 16, seed);
        const whole = length - (length % size);
        const expected = bytes.map((byte, i) => (i < whole ? bytes[i - (i % size) + size - 1 - (i % size)] : byte));
        swapBytes(bytes.subarray(0, length), size);
        expect(Buffer.compare(bytes, expected)).toBe(0);
      }),
      { numRuns: 30 },
    );
  });
});

/** A stream of random tokens for at least LARGE bytes, and these. */
function lzfStream(next: () => number): { readonly stream: number[]; readonly bytes: number[] } {
  const stream: number[] = [];
  const bytes: number[] = [];
  while (bytes.length < LARGE) {
    if (bytes.length === 0 || next() < 0.4) {
      const literals = Array.from({ length: 1 + Math.floor(next() * 32) }, () => Math.floor(next() * 256));
      stream.push(literals.length - 1, ...literals);
      bytes.push(...literals);
      continue;
    }
    const near = next() < 0.6 ? 20 : 8192;
    const distance = 1 + Math.floor(next() * Math.min(near, bytes.length));
    const length = 3 + Math.floor(next() * (next() < 0.5 ? 6 : 262));
    const high = (distance - 1) >> 8;
    if (length < 9) stream.push(((length - 2) << 5) | high);
    else stream.push((7 << 5) | high, length - 9);
    stream.push((distance - 1) & 255);
    for (let k = 0; k < length; k++) bytes.push(bytes[bytes.length - distance]);
  }
  return { stream, bytes };
}

/** As `decodeLzf`, byte by byte; null for what is no stream of that size. */
function slowLzf(stream: Uint8Array, size: number): Uint8Array | null {
  const out: number[] = [];
  for (let at = 0; at < stream.length; ) {
    const control = stream[at++];
    if (control < 32) {
      if (at + control >= stream.length) return null;
      out.push(...stream.subarray(at, at + control + 1));
      at += control + 1;
    } else {
      const length = (control >> 5) + 2 + (control >> 5 === 7 ? stream[at++] : 0);
      if (at >= stream.length) return null;
      const distance = ((control & 31) << 8) + stream[at++] + 1;
      if (distance > out.length) return null;
      for (let k = 0; k < length; k++) out.push(out[out.length - distance]);
    }
    if (out.length > size) return null;
  }
  return out.length === size ? Uint8Array.from(out) : null;
}

describe("LZF", () => {
  const random = (seed: number) => {
    const bytes = noise(4 * 65536, seed);
    let at = 0;
    return () => bytes[at++ % bytes.length] / 256 + bytes[(at * 7) % bytes.length] / 65536;
  };

  test("streams of all tokens, whole and changed", () => {
    for (let seed = 0; seed < 60; seed++) {
      const next = random(seed);
      const { stream, bytes } = lzfStream(next);
      const target = new Uint8Array(bytes.length + 100).fill(7);
      decodeLzfInto(Uint8Array.from(stream), target.subarray(50, 50 + bytes.length));
      expect(Buffer.compare(target.subarray(50, 50 + bytes.length), Uint8Array.from(bytes))).toBe(0);
      expect([...target.subarray(0, 50), ...target.subarray(-50)].every((byte) => byte === 7)).toBe(true);
      for (let n = 0; n < 20; n++) {
        const changed = Uint8Array.from(stream);
        changed[Math.floor(next() * changed.length)] = Math.floor(next() * 256);
        const expected = slowLzf(changed, bytes.length);
        if (expected === null) expect(() => decodeLzf(changed, bytes.length)).toThrow("LZF stream");
        else expect(Buffer.compare(decodeLzf(changed, bytes.length), expected)).toBe(0);
      }
      const cut = Uint8Array.from(stream.slice(0, Math.floor(next() * stream.length)));
      expect(() => decodeLzf(cut, bytes.length)).toThrow("LZF stream");
      expect(() => decodeLzf(Uint8Array.from(stream), bytes.length + 1)).toThrow(`instead of ${bytes.length + 1}`);
      expect(() => decodeLzf(Uint8Array.from(stream), bytes.length - 1)).toThrow(`more than ${bytes.length - 1}`);
    }
  });

  test("streams cut off in the last token", () => {
    const literals = [31, ...Array.from({ length: 32 }, (_, i) => i)];
    const run = Array.from({ length: 625 }, () => literals).flat();
    for (const rest of [[40], [0xe0], [0xe0, 5], [3, 1, 2, 3]]) {
      expect(() => decodeLzf(Uint8Array.from([...run, ...rest]), LARGE + 4)).toThrow("is cut off");
    }
  });
});
