import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeLzf } from "../../../src/kernels/codecs/lzf.js";

type Token = { readonly literals: Uint8Array } | { readonly distance: number; readonly length: number };

/** A stream of the given tokens, written by the format's own description. */
function encode(tokens: readonly Token[]): Uint8Array {
  return Uint8Array.from(
    tokens.flatMap((token) => {
      if ("literals" in token) return [token.literals.length - 1, ...token.literals];
      const short = Math.min(7, token.length - 2);
      const far = token.distance - 1;
      return [(short << 5) | (far >> 8), ...(short === 7 ? [token.length - 9] : []), far & 0xff];
    }),
  );
}

/** What the tokens stand for, one byte at a time. */
function expand(tokens: readonly Token[]): number[] {
  const out: number[] = [];
  for (const token of tokens) {
    if ("literals" in token) out.push(...token.literals);
    else for (let i = 0; i < token.length; i++) out.push(out[out.length - token.distance]);
  }
  return out;
}

const literals = fc.uint8Array({ minLength: 1, maxLength: 32 }).map((bytes): Token => ({ literals: bytes }));
const match = fc.record({ distance: fc.integer({ min: 1, max: 8192 }), length: fc.integer({ min: 3, max: 264 }) });
const streams = fc.tuple(literals, fc.array(fc.oneof(literals, match))).map(([first, rest]) => {
  let size = 0;
  return [first, ...rest].map((token): Token => {
    const fitting = "literals" in token ? token : { ...token, distance: 1 + ((token.distance - 1) % size) };
    size += "literals" in fitting ? fitting.literals.length : fitting.length;
    return fitting;
  });
});

describe("decodeLzf", () => {
  it("gives what the tokens of a stream stand for", () => {
    fc.assert(
      fc.property(streams, (tokens) => {
        const bytes = expand(tokens);
        expect(decodeLzf(encode(tokens), bytes.length)).toEqual(Uint8Array.from(bytes));
      }),
    );
  });

  it("refuses a stream that is cut off, or gives another size", () => {
    fc.assert(
      fc.property(streams, fc.nat(), (tokens, cut) => {
        const stream = encode(tokens);
        const { length } = expand(tokens);
        expect(() => decodeLzf(stream.subarray(0, cut % stream.length), length)).toThrow(/LZF stream/);
        expect(() => decodeLzf(stream, length - 1)).toThrow(`more than ${length - 1} bytes`);
        expect(() => decodeLzf(stream, length + 1)).toThrow(`${length} bytes instead of ${length + 1}`);
      }),
    );
  });

  it("refuses a match that reaches back before the first byte", () => {
    const stream = encode([{ literals: Uint8Array.of(1, 2) }, { distance: 3, length: 3 }]);
    expect(() => decodeLzf(stream, 5)).toThrow("reaches back 3 bytes from byte 2");
  });

  it("gives no bytes for no stream", () => {
    expect(decodeLzf(new Uint8Array(0), 0)).toEqual(new Uint8Array(0));
  });
});
