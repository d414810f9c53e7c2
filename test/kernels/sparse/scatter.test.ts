import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  countKeyRanges,
  type EntryWords,
  gatherWords,
  scatterByRange,
  scatterWords,
} from "../../../src/kernels/sparse/scatter.js";

const MAKE: readonly ((numbers: readonly number[]) => EntryWords)[] = [
  (numbers) => Uint8Array.from(numbers),
  (numbers) => Uint16Array.from(numbers),
  (numbers) => Int32Array.from(numbers),
];

/** The numbers of the entries, band by band. */
function slowBands(keys: readonly number[], width: number): number[] {
  const bands = new Map<number, number[]>();
  keys.forEach((key, i) => {
    const band = Math.floor(key / width);
    bands.set(band, [...(bands.get(band) ?? []), i]);
  });
  return [...bands].sort(([a], [b]) => a - b).flatMap(([, entries]) => entries);
}

describe("distribution over bands", () => {
  test("moves words of every width as the twin does", () => {
    const keys = fc.array(fc.nat(63), { maxLength: 50 });
    fc.assert(
      fc.property(keys, fc.nat(6), fc.nat(5), fc.integer({ min: 1, max: 3 }), (keys, shift, first, step) => {
        const shifted = Int32Array.from(keys, (key) => key + first);
        const counts = new Uint32Array(64);
        countKeyRanges(shifted, keys.length, first, shift, counts);
        const next = counts.map((_, band) => counts.slice(0, band).reduce((sum, count) => sum + count, 0));
        const places = new Uint32Array(keys.length);
        scatterByRange(shifted, keys.length, first, shift, next, places);
        const order = slowBands(keys, 2 ** shift);
        const expected = order.flatMap((entry) => Array.from({ length: step }, (_, k) => (entry * step + k) % 256));
        for (const make of MAKE) {
          const source = make(keys.flatMap((_, i) => Array.from({ length: step }, (_, k) => (i * step + k) % 256)));
          const target = make(new Array<number>(source.length).fill(0));
          scatterWords(source, places, keys.length, step, target);
          expect(Array.from(target)).toEqual(expected);
          const gathered = make(new Array<number>(source.length + step).fill(9));
          gatherWords(source, 0, Uint32Array.from(order), step, gathered, 1);
          expect(Array.from(gathered)).toEqual([...new Array<number>(step).fill(9), ...expected]);
        }
      }),
    );
  });

  test("refuses words of two widths", () => {
    const nothing = new Uint32Array(0);
    expect(() => scatterWords(new Uint8Array(1), nothing, 0, 1, new Uint16Array(1))).toThrow(TypeError);
    expect(() => gatherWords(new Int32Array(1), 0, nothing, 1, new Uint16Array(1), 0)).toThrow(TypeError);
  });
});
