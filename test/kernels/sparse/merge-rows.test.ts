import fc from "fast-check";
import { expect, test } from "vitest";
import { countRows, mergeRows } from "../../../src/kernels/sparse/merge-rows.js";
import { NonZeroList, type ValueSize, viewAsWords } from "../../../src/kernels/sparse/non-zero-list.js";
import { findPlainly } from "../../../src/kernels/sparse/non-zeros.js";

const matrices = fc
  .record({
    size: fc.constantFrom<ValueSize>(1, 2, 4, 8),
    rows: fc.integer({ min: 1, max: 7 }),
    cuts: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 }),
  })
  .chain(({ size, rows, cuts }) => {
    const cols = cuts.reduce((a, b) => a + b, 0);
    const length = rows * cols * size;
    return fc.record({
      ...{ size: fc.constant(size), rows: fc.constant(rows), cols: fc.constant(cols), cuts: fc.constant(cuts) },
      bytes: fc.array(fc.constantFrom(0, 0, 0, 1, 128, 255), { minLength: length, maxLength: length }),
    });
  });

test("rows put together of pieces are those of the whole", () => {
  fc.assert(
    fc.property(matrices, fc.nat(7), fc.nat(7), fc.nat(3), ({ size, rows, cols, cuts, bytes }, a, b, before) => {
      const source = Uint8Array.from(bytes);
      const list = new NonZeroList(size);
      const pieces: { starts: number[]; ends: number[] } = { starts: [], ends: [] };
      let col = 0;
      // From right to left, as blocks may come.
      const places = cuts.map((width) => {
        col += width;
        return { first: col - width, width };
      });
      for (const { first, width } of places.toReversed()) {
        pieces.starts.unshift(list.length);
        pieces.ends.unshift(list.rows);
        const part = source.subarray(first * size, ((rows - 1) * cols + first + width) * size);
        findPlainly({ bytes: part, rows, cols: width, stride: cols, firstCol: first }, list);
      }
      const [from, to] = [Math.min(a, b, rows), Math.min(Math.max(a, b), rows)];
      const expected: { col: number; value: number[] }[] = [];
      const counts = Array.from({ length: rows }, () => 0);
      for (let row = 0; row < rows; row++) {
        for (let c = 0; c < cols; c++) {
          const value = bytes.slice((row * cols + c) * size, (row * cols + c + 1) * size);
          if (value.every((byte) => byte === 0)) continue;
          counts[row]++;
          if (row >= from && row < to) expected.push({ col: c, value });
        }
      }
      const counted = new Int32Array(rows).fill(1);
      countRows(list, pieces, counted);
      expect(Array.from(counted, (count) => count - 1)).toEqual(counts);
      const columns = new Int32Array(before + expected.length);
      const values = new Uint8Array((before + expected.length) * size);
      const end = mergeRows(list, pieces, [from, to], columns, viewAsWords(values, size), before);
      expect(end).toBe(before + expected.length);
      expect(Array.from(columns.subarray(before))).toEqual(expected.map((one) => one.col));
      expect(Array.from(values.subarray(before * size))).toEqual(expected.flatMap((one) => one.value));
    }),
    { numRuns: 300 },
  );
});

test("values of two sizes are not mixed", () => {
  const list = new NonZeroList(4);
  const pieces = { starts: [0], ends: [0] };
  expect(() => mergeRows(list, pieces, [0, 0], new Int32Array(0), new Uint16Array(0), 0)).toThrow(TypeError);
});
