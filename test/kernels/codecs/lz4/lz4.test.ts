import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadBlockDecoder } from "../../../../src/kernels/codecs/blosc/block-decoder.js";
import { decodeLz4Block } from "../../../../src/kernels/codecs/lz4/lz4.js";
import { unshuffle } from "../../../../src/kernels/codecs/shuffle/shuffle.js";
import { draws } from "../../../draws.js";

function plain(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  decodeLz4Block(packed, out);
  return out;
}

const load = await loadBlockDecoder();

/** Null where the kernel says that the block is corrupt. */
function kernel(packed: Uint8Array, size: number): Uint8Array | null {
  const out = new Uint8Array(size);
  const decoder = load(packed, size, "lz4");
  if (!decoder) throw new Error("no room for the block");
  return decoder.decode([{ start: 0, length: packed.length }], out, 1) ? out : null;
}

interface Sequence {
  readonly literals: Uint8Array;
  readonly distance: number;
  readonly length: number;
}

function extended(length: number): number[] {
  const bytes: number[] = [];
  let rest = length - 15;
  for (; rest >= 255; rest -= 255) bytes.push(255);
  return [...bytes, rest];
}

/** A block of these sequences by the format's description, and what it means. */
function block(sequences: readonly Sequence[], last: Uint8Array): { packed: Uint8Array; bytes: Uint8Array } {
  const packed: number[] = [];
  const bytes: number[] = [];
  const start = (literals: Uint8Array, match: number) => {
    packed.push((Math.min(literals.length, 15) << 4) | Math.min(match, 15));
    if (literals.length >= 15) packed.push(...extended(literals.length));
    packed.push(...literals);
    bytes.push(...literals);
  };
  for (const { literals, distance, length } of sequences) {
    const back = 1 + (distance % (bytes.length + literals.length));
    start(literals, length - 4);
    packed.push(back & 255, back >> 8);
    if (length - 4 >= 15) packed.push(...extended(length - 4));
    for (let i = 0; i < length; i++) bytes.push(bytes[bytes.length - back]);
  }
  start(last, 0);
  return { packed: Uint8Array.from(packed), bytes: Uint8Array.from(bytes) };
}

const literals = (minLength: number) => fc.uint8Array({ minLength, maxLength: 40, max: 3 });
const blocks = fc
  .tuple(
    fc.array(
      fc.record({
        literals: literals(1),
        distance: fc.oneof(fc.nat(20), fc.nat(60_000)),
        length: fc.oneof(fc.integer({ min: 4, max: 40 }), fc.integer({ min: 4, max: 600 })),
      }),
      { maxLength: 12 },
    ),
    literals(0),
  )
  .map(([sequences, last]) => block(sequences, last));

describe("an LZ4 block", () => {
  test("gives what its sequences say, in both kernels", () => {
    fc.assert(
      fc.property(blocks, ({ packed, bytes }) => {
        expect(plain(packed, bytes.length)).toEqual(bytes);
        // Blosc takes a stream that did not shrink for a stored one.
        if (packed.length !== bytes.length) expect(kernel(packed, bytes.length)).toEqual(bytes);
      }),
      draws(500),
    );
  });

  test("of another size is refused by both", () => {
    fc.assert(
      fc.property(blocks, fc.constantFrom(-1, 1, 100), ({ packed, bytes }, more) => {
        const size = bytes.length + more;
        if (size < 0) return;
        expect(() => plain(packed, size)).toThrow(expect.objectContaining({ tag: "InvalidDataError" }));
        expect(kernel(packed, size) === null || size === packed.length).toBe(true);
      }),
    );
  });

  test("that is damaged gives the same in both, or is refused by both", () => {
    fc.assert(
      fc.property(blocks, fc.nat(), fc.nat(255), fc.boolean(), ({ packed, bytes }, at, byte, cut) => {
        const damaged = cut ? packed.slice(0, at % (packed.length + 1)) : packed.slice();
        if (!cut) damaged[at % packed.length] = byte;
        if (damaged.length === bytes.length) return;
        const fast = kernel(damaged, bytes.length);
        if (fast === null) expect(() => plain(damaged, bytes.length)).toThrow();
        else expect(plain(damaged, bytes.length)).toEqual(fast);
      }),
      draws(1000),
    );
  });
});

test("the kernel joins planes as unshuffle does", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), fc.constantFrom(2, 4, 8), (planes, valueSize) => {
      const out = new Uint8Array(planes.length);
      const stored = [{ start: 0, length: planes.length }];
      expect(load(planes, planes.length, "lz4")?.decode(stored, out, valueSize)).toBe(true);
      expect(out).toEqual(unshuffle(planes, valueSize));
    }),
  );
});
