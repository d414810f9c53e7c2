import fc from "fast-check";
import { expect, test } from "vitest";
import { ChunkPositions, WRAP } from "../../../src/kernels/bp128/chunk-positions.js";

/** What a writer stores for chunks of so many words behind `begin` words. */
function stored(begin: number, sizes: readonly number[]) {
  let at = begin;
  const absolute = [begin, ...sizes.map((size) => (at += size))];
  const offsets = [0];
  for (let border = WRAP; border <= at; border += WRAP) offsets.push(absolute.findIndex((place) => place >= border));
  offsets.push(absolute.length);
  return { absolute, idx: Uint32Array.from(absolute, (place) => place % WRAP), offsets, words: at };
}

const sizes = fc.array(fc.nat(32), { minLength: 1, maxLength: 40 }).map((widths) => widths.map((width) => 4 * width));
/** Shortly before one of the first multiples of 2^32. */
const begins = fc.tuple(fc.nat(3), fc.nat(600)).map(([wraps, less]) => Math.max(0, wraps * WRAP - 4 * less));

test("positions of any chunks are found, on both sides of 2^32 words and more", () => {
  fc.assert(
    fc.property(begins, sizes, fc.nat(40), fc.nat(40), (begin, list, a, b) => {
      const { absolute, idx, offsets, words } = stored(begin, list);
      const positions = new ChunkPositions(list.length, BigUint64Array.from(offsets, BigInt), words);
      positions.check(positions.entriesToCheck.map((entry) => idx[entry]));
      const first = Math.min(a, b, list.length);
      const last = Math.min(Math.max(a, b), list.length);
      expect(positions.words(first, idx.subarray(first, last + 1))).toEqual({
        from: absolute[first],
        to: absolute[last],
      });
    }),
  );
});

test("a border at another chunk is noticed", () => {
  const { idx, offsets, words } = stored(WRAP - 300, [100, 100, 100, 100, 100]);
  expect(offsets).toEqual([0, 3, 6]);
  for (const wrong of [1, 2, 4, 5]) {
    const positions = new ChunkPositions(5, [0, wrong, 6], words);
    expect(() => positions.check(positions.entriesToCheck.map((entry) => idx[entry]))).toThrow(/reach from word/);
  }
  const without = new ChunkPositions(5, [0, 6], words);
  expect(() => without.check([idx[5]])).toThrow("the last of 5 chunks ends at word 200, there are 4294967496");
  const versionOne = new ChunkPositions(5, null, words);
  expect(() => versionOne.check([idx[5]])).toThrow("ends at word 200");
});

test("version 1 has no offsets", () => {
  const positions = new ChunkPositions(2, null, 24);
  positions.check([24]);
  expect(positions.words(0, Uint32Array.of(0, 12, 24))).toEqual({ from: 0, to: 24 });
  expect(positions.words(1, Uint32Array.of(12, 24))).toEqual({ from: 12, to: 24 });
});

test("offsets that are none are refused", () => {
  const many = 3 * WRAP;
  const make =
    (offsets: number[], words = many) =>
    () =>
      new ChunkPositions(9, offsets, words);
  expect(make([])).toThrow("0 idx_offsets, 12884901888 words have 2 to 5");
  expect(make([0])).toThrow("1 idx_offsets");
  expect(make([0, 1, 2, 3, 4, 10])).toThrow("6 idx_offsets");
  expect(make([0, 1, 10], 100)).toThrow("3 idx_offsets, 100 words have 2 to 2");
  expect(make([1, 10])).toThrow("idx_offsets begin with 1 instead of 0");
  expect(make([0, 9])).toThrow("idx_offsets end with 9, idx has 10 entries");
  expect(make([0, 5, 4, 10])).toThrow("idx_offsets go from 5 to 4");
  expect(make([0, 11, 10])).toThrow("idx_offsets go from 11 to 10");
  expect(make([0, 10, 10])).toThrow("idx_offsets have 10 before the end, 10");
  expect(make([0, 2.5, 10])).toThrow("idx_offsets go from 0 to 2.5");
  expect(make([0, Number.NaN, 10])).toThrow("idx_offsets go from 0 to NaN");
  expect(() => new ChunkPositions(9, BigUint64Array.of(0n, 2n ** 64n - 1n), 8)).toThrow("idx_offsets end with 1844");
});

test("chunks outside the data are refused", () => {
  const positions = new ChunkPositions(3, [0, 4], 100);
  expect(() => positions.words(2, Uint32Array.of(0, 4, 8))).toThrow("chunks 2 to 4 of an array of 3 chunks");
  expect(() => positions.words(1, Uint32Array.of(8, 4))).toThrow("chunks 1 to 2 reach from word 8 to word 4");
  expect(() => positions.words(1, Uint32Array.of(0, 132))).toThrow("chunks 1 to 2 reach from word 0 to word 132");
  expect(() => positions.words(1, Uint32Array.of(60, 80, 104))).toThrow("chunk 2 ends at word 104, there are 100");
  expect(() => positions.words(0, new Uint32Array(0))).toThrow("chunks 0 to -1");
});
