import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indexWidth, MAX_ENTRIES } from "../../../src/kernels/parquet/dictionary.js";
import { Dictionary } from "./loops/dictionary.js";
import { slowDictionary } from "./twins.js";

/** Values that repeat, each pattern of bits equally likely to be a strange one. */
const repeated = (most: bigint) =>
  fc
    .array(fc.bigInt(0n, most), { minLength: 1, maxLength: 40 })
    .chain((pool) => fc.array(fc.constantFrom(...pool), { minLength: 2 * pool.length, maxLength: 300 }));

describe("Dictionary", () => {
  const dictionary = new Dictionary();

  test("of 32-bit values, like the slow one, table after table", () => {
    fc.assert(
      fc.property(repeated(2n ** 32n - 1n), (values) => {
        const { entries, indices } = slowDictionary(values);
        dictionary.reset(1, values.length);
        const found = new Uint16Array(values.length);
        expect(
          dictionary.index(
            Int32Array.from(values, (value) => Number(BigInt.asIntN(32, value))),
            found,
          ),
        ).toBe(true);
        expect([...found]).toEqual(indices);
        expect(Array.from(dictionary.words(), (word) => BigInt(word >>> 0))).toEqual(entries);
      }),
    );
  });

  test("of 64-bit values, like the slow one", () => {
    fc.assert(
      fc.property(repeated(2n ** 64n - 1n), (values) => {
        const { entries, indices } = slowDictionary(values);
        dictionary.reset(2, values.length);
        const found = new Uint16Array(values.length);
        expect(dictionary.index(new Int32Array(BigUint64Array.from(values).buffer), found)).toBe(true);
        expect([...found]).toEqual(indices);
        expect([...new BigUint64Array(dictionary.words().buffer)]).toEqual(entries);
      }),
    );
  });

  test("tells -0 from 0, and one NaN from another", () => {
    dictionary.reset(1, 100);
    const words = Int32Array.of(0, -(2 ** 31), 0x7fc00000, 0x7fc00001, 0);
    const found = new Uint16Array(5);
    expect(dictionary.index(words, found)).toBe(true);
    expect([...found]).toEqual([0, 1, 2, 3, 0]);
  });

  test("ends where it does not pay, or has as many entries as it can", () => {
    const found = new Uint16Array(MAX_ENTRIES + 1);
    const distinct = Int32Array.from({ length: MAX_ENTRIES + 1 }, (_, i) => i * 65537);
    dictionary.reset(1, 8);
    expect(dictionary.index(distinct.subarray(0, 4), found)).toBe(true);
    expect(dictionary.index(distinct.subarray(4, 5), found)).toBe(false);
    for (const wordsPerValue of [1, 2] as const) {
      dictionary.reset(wordsPerValue, 10 * MAX_ENTRIES);
      const length = wordsPerValue * distinct.length;
      const all = Int32Array.from({ length }, (_, i) => distinct[Math.floor(i / wordsPerValue)]);
      expect(dictionary.index(all.subarray(0, wordsPerValue * MAX_ENTRIES), found)).toBe(true);
      expect(dictionary.size).toBe(MAX_ENTRIES);
      expect(found[MAX_ENTRIES - 1]).toBe(MAX_ENTRIES - 1);
      expect(dictionary.index(all.subarray(wordsPerValue * MAX_ENTRIES), found)).toBe(false);
    }
  });

  test("width of an index", () => {
    expect([0, 1, 2, 3, 4, 5, 256, 257, 65535].map(indexWidth)).toEqual([0, 0, 1, 2, 2, 3, 8, 9, 16]);
  });
});
