import fc from "fast-check";
import { expect, test } from "vitest";
import { LinearIndex } from "../../../../src/containers/hdf5/chunks/chunk-index.js";
import { createChunkPlacer, createChunkSlots } from "../../../../src/containers/hdf5/chunks/chunked-rows.js";

const total = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

/** The position of row-major element `index`. */
function position(shape: readonly number[], index: number): number[] {
  const at: number[] = [];
  let rest = index;
  for (const size of [...shape].reverse()) {
    at.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return at;
}

const flat = (shape: readonly number[], at: readonly number[]) => at.reduce((sum, x, d) => sum * shape[d] + x, 0);

const grids = fc
  .integer({ min: 1, max: 4 })
  .chain((rank) =>
    fc.record({
      shape: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: rank, maxLength: rank }),
      chunk: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: rank, maxLength: rank }),
      growth: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: rank, maxLength: rank }),
      unlimited: fc.option(fc.integer({ min: 0, max: rank - 1 }), { nil: null }),
      elementSize: fc.constantFrom(1, 2, 8, 100),
      rows: fc.tuple(fc.nat(7), fc.nat(7)),
    }),
  )
  .map(({ shape, rows, ...rest }) => {
    const [start, end] = rows.map((row) => Math.min(row, shape[0])).sort((a, b) => a - b);
    return { shape, start, end, ...rest };
  });

test("chunks come to their places, whatever their shape and the rows asked for", () => {
  fc.assert(
    fc.property(grids, ({ shape, chunk, elementSize, start, end }) => {
      fc.pre(start < end);
      const row = total(shape.slice(1));
      const target = new Uint8Array((end - start) * row * elementSize).fill(0xee);
      const rows = { start, end, bytes: target };
      const place = createChunkPlacer({ shape, chunk, elementSize }, rows);
      const grid = shape.map((size, d) => Math.ceil(size / chunk[d]));
      for (let k = 0; k < total(grid); k++) {
        const offset = position(grid, k).map((at, d) => at * chunk[d]);
        if (offset[0] >= end || offset[0] + chunk[0] <= start) continue;
        const bytes = new Uint8Array(total(chunk) * elementSize).fill(0xdd);
        for (let i = 0; i < total(chunk); i++) {
          const at = position(chunk, i).map((x, d) => x + offset[d]);
          if (at.some((x, d) => x >= shape[d])) continue;
          bytes.fill(flat(shape, at) % 200, i * elementSize, (i + 1) * elementSize);
        }
        const slot = createChunkSlots({ shape, chunk, elementSize }, rows)(offset);
        if (slot === null) place(offset, bytes);
        else slot.set(bytes);
      }
      const expected = Uint8Array.from(target, (_, i) => (start * row + Math.floor(i / elementSize)) % 200);
      expect(target).toEqual(expected);
    }),
  );
});

test("chunk numbers are those of the maximum shape, the unlimited dimension first", () => {
  fc.assert(
    fc.property(grids, ({ shape, chunk, growth, unlimited, start, end }) => {
      const maximum = shape.map((size, d) => (d === unlimited ? null : size + growth[d]));
      const index = new LinearIndex(chunk, maximum, unlimited === null ? 0 : 1);
      const order = [...shape.keys()].sort((a, b) => Number(b === unlimited) - Number(a === unlimited) || a - b);
      const counts = maximum.map((size, d) => (size === null ? 100 : Math.ceil(size / chunk[d])));
      const expected = new Map<number, number[]>();
      for (let k = 0; k < total(counts); k++) {
        const at = position(counts, k);
        const offset = at.map((x, d) => x * chunk[d]);
        const inside = offset.every((x, d) => x < shape[d]) && offset[0] < end && offset[0] + chunk[0] > start;
        const number = flat(
          order.map((d) => counts[d]),
          order.map((d) => at[d]),
        );
        if (inside && end > start) expected.set(number, offset);
      }
      const found = new Map<number, number[]>();
      let before = -1;
      for (const run of index.runs({ rows: [start, end], shape })) {
        expect(run.start).toBeGreaterThan(before);
        for (before = run.start; before < run.end; before++) found.set(before, index.offset(before));
      }
      expect([...found].sort(([a], [b]) => a - b)).toEqual([...expected].sort(([a], [b]) => a - b));
      expect(index.total).toBe(unlimited === null ? total(counts) : null);
    }),
  );
});

test("maximum shapes that do not fit are refused", () => {
  expect(() => new LinearIndex([1, 1], [null, null], 1)).toThrow(/for 1 unlimited dimensions, but the dataset has 2/);
  expect(() => new LinearIndex([1, 1], [2 ** 40, 2 ** 40], 0)).toThrow(/more than 2\^53 chunks/);
});
