import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { convertLatin1ToUtf8, findInvalidText, findInvalidUtf8 } from "../../../src/kernels/text/utf8.js";
import { slowFirstInvalidUtf8, slowIsUtf8, slowLatin1, slowTexts } from "../twins.js";

/** Bytes that make and break UTF-8: leads of every length, the borders of what follows them, ASCII. */
const edges = fc.constantFrom(
  ...[0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf],
  ...[0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
);
const character = fc.string({ unit: "binary", minLength: 1, maxLength: 1 }).map((one) => new TextEncoder().encode(one));
const piece = fc.oneof(
  { weight: 5, arbitrary: character },
  { weight: 1, arbitrary: edges.map((byte) => Uint8Array.of(byte)) },
);
const bytesOf = (pieces: readonly Uint8Array[]) => Uint8Array.from(pieces.flatMap((one) => Array.from(one)));
const mixed = fc.array(piece, { maxLength: 20 }).map(bytesOf);
const broken = fc.array(edges, { maxLength: 6 }).map((bytes) => Uint8Array.from(bytes));

const filler = fc.nat(40).map((length) => new Uint8Array(length).fill(0x61));
/** Mostly ASCII, long enough to be passed word by word, at any alignment. */
const long = fc
  .tuple(fc.array(fc.tuple(piece, filler), { minLength: 4, maxLength: 12 }), fc.nat(7))
  .map(([pieces, before]) => bytesOf([new Uint8Array(before), ...pieces.flat()]).subarray(before));

/** Values one after the other, behind `before` other bytes. */
function column(values: readonly Uint8Array[], before = 0) {
  const offsets = new Int32Array(values.length + 1);
  offsets[0] = before;
  values.forEach((value, i) => {
    offsets[i + 1] = offsets[i] + value.length;
  });
  return { offsets, bytes: bytesOf([new Uint8Array(before).fill(0xff), ...values, Uint8Array.of(0xff)]) };
}

describe("UTF-8", () => {
  test("every sequence of up to two bytes, and of three to four with a lead, is judged as TextDecoder does", () => {
    for (let a = 0; a < 256; a++) {
      expect(findInvalidUtf8(Uint8Array.of(a)) < 0).toBe(slowIsUtf8(Uint8Array.of(a)));
      for (let b = 0; b < 256; b++) {
        const wrong = [
          [a, b],
          ...(a < 0xe0
            ? []
            : [
                [a, b, 0x80],
                [a, b, 0xbf, 0x80],
                [a, b, 0xc0],
              ]),
        ].filter((bytes) => {
          const one = Uint8Array.from(bytes);
          return findInvalidUtf8(one) < 0 !== slowIsUtf8(one);
        });
        if (wrong.length > 0) expect(wrong).toEqual([]);
      }
    }
  });

  test("the first wrong place is where the longest valid prefix ends", () => {
    fc.assert(
      fc.property(fc.oneof(mixed, broken, long), (bytes) => {
        expect(findInvalidUtf8(bytes)).toBe(slowFirstInvalidUtf8(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  test("the first wrong value is found, also where only the border between values is wrong", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(broken, mixed, long), { maxLength: 8 }), fc.nat(3), (values, before) => {
        const { offsets, bytes } = column(values, before);
        expect(findInvalidText(offsets, bytes)).toBe(values.findIndex((value) => !slowIsUtf8(value)));
      }),
      { numRuns: 2000 },
    );
  });

  test("a character cut by empty values between its bytes is laid to the value that begins it", () => {
    const { offsets, bytes } = column([Uint8Array.of(0x61, 0xc3), new Uint8Array(0), Uint8Array.of(0xa9)]);
    expect(findInvalidText(offsets, bytes)).toBe(0);
  });

  test("a value that is wrong only by itself comes before one that is wrong anywhere", () => {
    const { offsets, bytes } = column([Uint8Array.of(0xc3), Uint8Array.of(0xa9), Uint8Array.of(0xff)]);
    expect(findInvalidText(offsets, bytes)).toBe(0);
  });

  test("one wrong byte is found wherever it stands in long ASCII text", () => {
    for (const length of [63, 64, 65, 79, 80, 83]) {
      for (let start = 0; start < 4; start++) {
        for (let wrong = 0; wrong < length; wrong++) {
          const bytes = new Uint8Array(length + start).fill(0x7f).subarray(start);
          expect(findInvalidUtf8(bytes)).toBe(-1);
          expect(findInvalidText(Int32Array.of(0, length), bytes)).toBe(-1);
          bytes[wrong] = 0x80;
          expect(findInvalidUtf8(bytes)).toBe(wrong);
          expect(findInvalidText(Int32Array.of(0, 10, length), bytes)).toBe(wrong < 10 ? 0 : 1);
        }
      }
    }
  });

  test("no values have no wrong one", () => {
    expect(findInvalidText(Int32Array.of(0), new Uint8Array(0))).toBe(-1);
    expect(findInvalidText(Int32Array.of(0, 0, 0), new Uint8Array(0))).toBe(-1);
  });
});

describe("Latin-1", () => {
  test("replaces exactly the values that are not UTF-8", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(broken, mixed), { maxLength: 8 }), fc.nat(3), (values, before) => {
        const { offsets, bytes } = column(values, before);
        const text = convertLatin1ToUtf8(offsets, bytes);
        const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
        expect(slowTexts(text.offsets, text.bytes).map((value) => decoder.decode(value))).toEqual(
          values.map(slowLatin1),
        );
      }),
    );
  });
});
