import fc from "fast-check";
import { expect, test } from "vitest";
import { copyReversed } from "../../../src/kernels/dense/place-reversed.js";

/** One element at a time. */
function slowly(values: readonly number[], extent: readonly number[], start: number, end: number): number[] {
  const rank = extent.length;
  const out: number[] = [];
  values.forEach((value, index) => {
    const at: number[] = [];
    let rest = index;
    for (let d = rank - 1; d >= 0; d--) {
      at[d] = rest % extent[d];
      rest = Math.floor(rest / extent[d]);
    }
    if (at[rank - 1] < start || at[rank - 1] >= end) return;
    let place = at[rank - 1] - start;
    for (let d = rank - 2; d >= 0; d--) place = place * extent[d] + at[d];
    out[place] = value;
  });
  return out;
}

const SIZES = [1, 2, 3, 4, 8, 16];

test("a block is put where one element after another would be", () => {
  const extents = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(extents, fc.constantFrom(...SIZES), fc.nat(), fc.nat(), (extent, size, a, b) => {
      const last = extent[extent.length - 1];
      const [start, end] = [a % (last + 1), b % (last + 1)].sort((x, y) => x - y);
      const count = extent.reduce((x, y) => x * y, 1);
      const values = Array.from({ length: count }, (_, i) => i);
      const bytes = new Uint8Array(count * size);
      for (const i of values) for (let k = 0; k < size; k++) bytes[i * size + k] = (i * 7 + k * 31) % 251;
      const target = new Uint8Array((count / last) * (end - start) * size);
      const whole = { offset: extent.map(() => 0), shape: extent };
      copyReversed(bytes, whole, extent, [start, end], target, size);
      const expected = slowly(values, extent, start, end).flatMap((i) =>
        Array.from({ length: size }, (_, k) => bytes[i * size + k]),
      );
      expect(Array.from(target)).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test("blocks that reach beyond the array are cut, and all together make it whole", () => {
  const [extent, shape] = [
    [5, 7],
    [2, 3],
  ];
  const target = new Uint8Array(35);
  for (let row = 0; row < 6; row += 2) {
    for (let column = 0; column < 9; column += 3) {
      const block = Uint8Array.from({ length: 6 }, (_, i) => (row + Math.floor(i / 3)) * 7 + column + (i % 3));
      copyReversed(block, { offset: [row, column], shape }, extent, [0, 7], target, 1);
    }
  }
  const values = Array.from({ length: 35 }, (_, i) => i);
  expect(Array.from(target)).toEqual(slowly(values, extent, 0, 7));
});
