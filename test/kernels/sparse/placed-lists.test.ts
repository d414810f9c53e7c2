import fc from "fast-check";
import { expect, test } from "vitest";
import { createPositionMap } from "../../../src/kernels/sparse/minor-map.js";
import {
  createWasmRepositionLists,
  repositionInFallback,
  repositionLists,
} from "../../../src/kernels/sparse/placed-lists.js";

/** Each list by its own objects: the slow twin. */
function slowly(one: Int32Array, rows: readonly (readonly number[])[], words: Int32Array, per: number) {
  let at = 0;
  return rows.map((row) =>
    row
      .map((position) => ({ position: one[position], value: [...words.subarray(per * at, per * ++at)] }))
      .filter(({ position }) => position >= 0)
      .sort((a, b) => a.position - b.position),
  );
}

const cases = fc.integer({ min: 1, max: 90 }).chain((stored) =>
  fc.record({
    per: fc.constantFrom(1 as const, 2 as const),
    // Each stored position gets a new one of its own, or none.
    kept: fc.shuffledSubarray([...Array(stored + 9).keys()], { minLength: stored, maxLength: stored }),
    left: fc.array(fc.boolean(), { minLength: stored, maxLength: stored }),
    sorted: fc.boolean(),
    rows: fc.array(fc.subarray([...Array(stored).keys()]), { minLength: 1, maxLength: 9 }),
    first: fc.integer({ min: 0, max: 5 }),
  }),
);

test("gives each list the entries that the slow twin gives it", () => {
  let fast = 0;
  fc.assert(
    fc.property(cases, ({ per, kept, left, sorted, rows, first }) => {
      const places = sorted ? [...kept].sort((a, b) => a - b) : kept;
      const one = Int32Array.from(places, (place, i) => (left[i] ? -1 : place));
      const minor = Int32Array.from(rows.flat());
      const words = Int32Array.from({ length: per * minor.length }, (_, i) => 0x7fa00000 + i);
      const pointers = new Float64Array(rows.length + 1);
      pointers[0] = first;
      for (const [i, row] of rows.entries()) pointers[i + 1] = pointers[i] + row.length;
      const memory = { minor: new Int32Array(minor.length), words: new Int32Array(words.length) };
      const { rises } = createPositionMap(one, one.length + 9);
      const lists = { pointers, minor, words, wordsPerValue: per };
      const placed = repositionLists({ one, kept: one.length + 9, rises }, lists, memory);
      if (placed === null) return;
      fast++;
      const found = rows.map((_, row) => {
        const [start, end] = [placed.pointers[row], placed.pointers[row + 1]];
        return Array.from(placed.minor.subarray(start, end), (position, i) => ({
          position,
          value: [...placed.words.subarray(per * (start + i), per * (start + i + 1))],
        }));
      });
      expect(found).toEqual(slowly(one, rows, words, per));
    }),
  );
  expect(fast).toBeGreaterThan(50);
});

test("leaves lists with two entries of one position, and lists of few entries, to others", () => {
  const lists = (minor: number[], pointers: number[]) => ({
    pointers: Float64Array.from(pointers),
    minor: Int32Array.from(minor),
    words: new Int32Array(minor.length),
    wordsPerValue: 1 as const,
  });
  const memory = { minor: new Int32Array(9), words: new Int32Array(9) };
  const turned = Int32Array.of(2, 1, 0);
  expect(repositionLists({ one: turned, kept: 3, rises: false }, lists([0, 1, 0], [0, 3]), memory)).toBeNull();
  expect(repositionLists({ one: turned, kept: 3, rises: false }, lists([0, 1, 2], [0, 3]), memory)?.minor).toEqual(
    Int32Array.of(0, 1, 2),
  );
  const wide = Int32Array.from({ length: 10_000 }, (_, i) => 9999 - i);
  expect(repositionLists({ one: wide, kept: 10_000, rises: false }, lists([0, 1, 2], [0, 1, 2, 3]), memory)).toBeNull();
});

test("the kernel and the plain loops move entries of many parts alike", () => {
  let [random, kernels, repeats] = [1, 0, 0];
  const below = (limit: number) => {
    random = (random * 48_271) % (2 ** 31 - 1);
    return random % limit;
  };
  for (const per of [1, 2] as const) {
    for (const rises of [false, true]) {
      for (const twice of [false, true]) {
        const [stored, kept, rows] = [3000, 3500, 200];
        const places = Array.from({ length: kept }, (_, i) => i);
        for (let i = kept - 1; i > 0; i--) {
          const other = below(i + 1);
          [places[i], places[other]] = [places[other], places[i]];
        }
        const own = places.slice(0, stored);
        if (rises) own.sort((a, b) => a - b);
        const one = Int32Array.from(own, (place) => (below(9) === 0 ? -1 : place));
        const minor: number[] = [];
        const pointers = [7];
        for (let row = 0; row < rows; row++) {
          for (let position = 0; position < stored; position++) if (below(row + 1) < 8) minor.push(position);
          if (twice && row === rows - 1)
            minor.push(
              one.findIndex((place) => place >= 0),
              stored - 1,
              stored - 1,
            );
          pointers.push(7 + minor.length);
        }
        const words = Int32Array.from({ length: per * minor.length }, () => below(2 ** 31 - 1));
        const lists = {
          pointers: Float64Array.from(pointers),
          minor: Int32Array.from(minor),
          words,
          wordsPerValue: per,
        };
        const memory = () => ({ minor: new Int32Array(minor.length), words: new Int32Array(words.length) });
        const placing = { one, kept, rises };
        const kernel = createWasmRepositionLists(placing, lists);
        if (kernel === null) throw new Error("no kernel");
        const [fast, plain] = [memory(), memory()];
        const ends = kernel(placing, lists, fast);
        expect(ends).toEqual(repositionInFallback(placing, lists, plain));
        kernels++;
        if (ends === null) {
          repeats++;
          continue;
        }
        const found = ends[rows];
        expect(found).toBeGreaterThan(2 ** 16);
        expect(fast.minor.subarray(0, found)).toEqual(plain.minor.subarray(0, found));
        expect(fast.words.subarray(0, per * found)).toEqual(plain.words.subarray(0, per * found));
      }
    }
  }
  expect([kernels, repeats]).toEqual([8, 2]);
});
