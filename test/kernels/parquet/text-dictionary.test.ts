import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_ENTRIES } from "../../../src/kernels/parquet/dictionary.js";
import { TextDictionary } from "../../../src/kernels/parquet/text-dictionary.js";
import { TextRange, type Texts } from "../../../src/kernels/parquet/text-range.js";

/** Texts behind some bytes of others; null is missing. */
function textsOf(values: readonly (string | null)[]): Texts {
  const parts = values.map((value) => Buffer.from(value ?? "?"));
  const offsets = Int32Array.from([3, ...parts.map((_, i) => 3 + Buffer.concat(parts.slice(0, i + 1)).length)]);
  const validity = new Uint8Array((values.length + 7) >> 3);
  values.forEach((value, i) => {
    if (value !== null) validity[i >> 3] |= 1 << (i & 7);
  });
  const bytes = new Uint8Array(Buffer.concat([Buffer.from("abc"), ...parts]));
  return { offsets, bytes, validity: values.includes(null) ? validity : null };
}

function entries({ offsets, bytes }: Texts, count: number): string[] {
  return Array.from({ length: count }, (_, i) => Buffer.from(bytes.subarray(offsets[i], offsets[i + 1])).toString());
}

const text = fc.oneof(
  fc.constantFrom("", "a", "b", "\0", "\0\0", "aaaa", "aaaaa", "aaaab", "ü€😀"),
  fc.string({ maxLength: 20, unit: "binary" }),
);

describe("a dictionary of texts", () => {
  test("gives every text its index, in order of first use, chunk after chunk", () => {
    const dictionary = new TextDictionary();
    fc.assert(
      fc.property(fc.array(fc.option(text), { minLength: 1, maxLength: 60 }), fc.nat(60), (values, cut) => {
        // As long again, so that the dictionary pays.
        const all = [...values, ...values];
        const present = all.filter((value) => value !== null);
        const texts = textsOf(all);
        dictionary.reset(present.length);
        const indices = new Uint16Array(all.length);
        const middle = Math.min(cut, all.length);
        const first = dictionary.index(texts, 0, middle, indices, 0);
        expect(dictionary.index(texts, middle, all.length, indices, first)).toBe(present.length);
        const distinct = [...new Set(present)];
        expect(entries(dictionary.texts(), dictionary.size)).toEqual(distinct);
        expect([...indices.subarray(0, present.length)]).toEqual(present.map((value) => distinct.indexOf(value)));
      }),
    );
  });

  test("gives up where more than half of the texts differ", () => {
    const dictionary = new TextDictionary();
    dictionary.reset(3);
    expect(dictionary.index(textsOf(["a", "b", "c"]), 0, 3, new Uint16Array(3), 0)).toBe(-1);
  });

  test("gives up where it would take more than 2 MiB, or more entries than 16 bits count", () => {
    const dictionary = new TextDictionary();
    const long = Array.from({ length: 3 }, (_, i) => `${i}${"x".repeat(900_000)}`);
    dictionary.reset(100);
    expect(dictionary.index(textsOf(long), 0, 3, new Uint16Array(3), 0)).toBe(-1);
    const count = MAX_ENTRIES + 1;
    const offsets = Int32Array.from({ length: count + 1 }, (_, i) => 4 * i);
    const bytes = new Uint8Array(Int32Array.from({ length: count }, (_, i) => i).buffer);
    const texts = { offsets, bytes, validity: null };
    dictionary.reset(4 * count);
    expect(dictionary.index(texts, 0, count - 1, new Uint16Array(count), 0)).toBe(count - 1);
    expect(dictionary.index(texts, count - 1, count, new Uint16Array(count), 0)).toBe(-1);
    dictionary.reset(2);
    expect(dictionary.size).toBe(0);
  });
});

test("a dictionary of texts gives up where they were chosen to collide", () => {
  // Flipping the highest bit of one word flips two bits of the hash, whatever the factors; flipping these in the next
  // word undoes it. Sixteen such pairs give 2^16 texts of one hash.
  const pairs = 16;
  const length = 8 * pairs;
  const count = 2 ** 15;
  const offsets = Int32Array.from({ length: count + 1 }, (_, i) => i * length);
  const bytes = new Uint8Array(count * length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) {
    for (let pair = 0; pair < pairs; pair++) {
      if (((i >> pair) & 1) === 0) continue;
      view.setUint32(i * length + 8 * pair, 0x80000000);
      view.setUint32(i * length + 8 * pair + 4, 0x80010000);
    }
  }
  const dictionary = new TextDictionary();
  const began = performance.now();
  dictionary.reset(10 * count);
  expect(dictionary.index({ offsets, bytes, validity: null }, 0, count, new Uint16Array(count), 0)).toBe(-1);
  expect(dictionary.size).toBeLessThan(4096);
  expect(performance.now() - began).toBeLessThan(2000);
});

describe("the range of texts", () => {
  test("is that of their bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.option(text), { minLength: 1 }), (values) => {
        const range = new TextRange();
        range.add(textsOf(values), 0, values.length);
        const sorted = values
          .filter((value) => value !== null)
          .map((value) => Buffer.from(value))
          .sort(Buffer.compare);
        const bounds = range.bounds(100);
        expect(bounds === null ? [] : [bounds.least, bounds.greatest].map((bytes) => [...bytes])).toEqual(
          sorted.length === 0 ? [] : [sorted[0], sorted[sorted.length - 1]].map((bytes) => [...bytes]),
        );
      }),
    );
  });

  test("is left out where a bound is long", () => {
    const range = new TextRange();
    range.add(textsOf(["a", "b".repeat(65)]), 0, 2);
    expect(range.bounds(64)).toBeNull();
    expect(range.bounds(65)).not.toBeNull();
  });
});
