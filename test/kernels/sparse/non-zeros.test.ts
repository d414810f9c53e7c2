import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NonZeroList, type StridedRows, type ValueSize } from "../../../src/kernels/sparse/non-zero-list.js";
import { findNonZeros, findPlainly, wasmNonZeros } from "../../../src/kernels/sparse/non-zeros.js";

const SIZES: readonly ValueSize[] = [1, 2, 4, 8];

interface Found {
  readonly columns: readonly number[];
  readonly values: readonly number[][];
  readonly ends: readonly number[];
}

function found(list: NonZeroList): Found {
  const { size, length, rows } = list;
  return {
    columns: Array.from(list.columns.subarray(0, length)),
    values: Array.from({ length }, (_, i) => Array.from(list.bytes.subarray(i * size, (i + 1) * size))),
    ends: Array.from(list.ends.subarray(0, rows)),
  };
}

/** Value by value. */
function slowNonZeros(size: ValueSize, { bytes, rows, cols, stride, firstCol }: StridedRows): Found {
  const columns: number[] = [];
  const values: number[][] = [];
  const ends: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const from = (row * stride + col) * size;
      const value = Array.from(bytes.subarray(from, from + size));
      if (value.every((byte) => byte === 0)) continue;
      columns.push(firstCol + col);
      values.push(value);
    }
    ends.push(columns.length);
  }
  return { columns, values, ends };
}

const ways = [
  ["by WebAssembly", wasmNonZeros()],
  ["plainly", findPlainly],
  ["by whichever suits", findNonZeros],
] as const;

/** Bytes of which few are set: of values of 8 bytes, some have one in the second half alone. */
const blocks = fc
  .record({
    size: fc.constantFrom(...SIZES),
    rows: fc.integer({ min: 1, max: 9 }),
    cols: fc.integer({ min: 1, max: 90 }),
    gap: fc.nat(5),
    repeated: fc.boolean(),
    firstCol: fc.nat(1000),
    offset: fc.nat(7),
    often: fc.integer({ min: 1, max: 40 }),
    seed: fc.nat(),
  })
  .map(({ size, rows, cols, gap, repeated, firstCol, offset, often, seed }) => {
    const stride = repeated ? 0 : cols + gap;
    const length = ((rows - 1) * stride + cols) * size;
    let state = seed;
    const bytes = new Uint8Array(offset + length).map(() => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state % often === 0 ? 1 + ((state >>> 16) % 255) : 0;
    });
    return { size, block: { bytes: bytes.subarray(offset), rows, cols, stride, firstCol } };
  });

describe.each(ways)("non-zeros found %s", (_, find) => {
  test("are those that have any bit, row by row", () => {
    fc.assert(
      fc.property(blocks, ({ size, block }) => {
        const list = new NonZeroList(size);
        find(block, list);
        expect(found(list)).toEqual(slowNonZeros(size, block));
      }),
      { numRuns: 500 },
    );
  });

  test("of several blocks follow each other", () => {
    fc.assert(
      fc.property(blocks, blocks, ({ size, block }, other) => {
        fc.pre(size === other.size);
        const list = new NonZeroList(size);
        find(block, list);
        find(other.block, list);
        const [a, b] = [slowNonZeros(size, block), slowNonZeros(size, other.block)];
        expect(found(list)).toEqual({
          columns: [...a.columns, ...b.columns],
          values: [...a.values, ...b.values],
          ends: [...a.ends, ...b.ends.map((end) => a.columns.length + end)],
        });
      }),
    );
  });

  test.each(SIZES)("of rows longer than the module's memory, of %i bytes", (size) => {
    const [rows, cols] = [3, 100_003];
    const bytes = new Uint8Array(rows * cols * size);
    for (let i = 0; i < rows * cols; i += 977) bytes[i * size + size - 1] = 0x80;
    const block = { bytes, rows, cols, stride: cols, firstCol: 5 };
    const list = new NonZeroList(size);
    find(block, list);
    expect(found(list)).toEqual(slowNonZeros(size, block));
  });

  test("of rows that are all full", () => {
    const bytes = new Uint8Array(64 * 64 * 4).fill(1);
    const list = new NonZeroList(4);
    find({ bytes, rows: 64, cols: 64, stride: 64, firstCol: 0 }, list);
    expect(list.length).toBe(4096);
    expect(Array.from(list.ends.subarray(0, 64))).toEqual(Array.from({ length: 64 }, (_, i) => 64 * (i + 1)));
  });
});
