import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  composeRowRanges,
  countRangeRows,
  countRowsInChunks,
  joinRowRanges,
  listRowPositions,
  type RowRanges,
  splitRisingRanges,
  toRowRanges,
} from "../../../src/containers/picked/row-ranges.js";

const positions = fc.oneof(
  fc.array(fc.nat(30), { maxLength: 20 }),
  // Ranges, so that there are long runs.
  fc
    .array(fc.tuple(fc.nat(30), fc.nat(6)), { maxLength: 6 })
    .map((ranges) => ranges.flatMap(([start, length]) => Array.from({ length }, (_, i) => start + i))),
);

const allOf = (runs: RowRanges) => Array.from(listRowPositions(runs, 0, countRangeRows(runs)));

describe("runs", () => {
  test("of any positions hold these positions, whole and in ranges", () => {
    fc.assert(
      fc.property(positions, fc.nat(40), fc.nat(40), (rows, a, b) => {
        const runs = toRowRanges(rows);
        expect(countRangeRows(runs)).toBe(rows.length);
        expect(allOf(runs)).toEqual(rows);
        const start = Math.min(a, b, rows.length);
        const end = Math.min(Math.max(a, b), rows.length);
        expect(Array.from(listRowPositions(runs, start, end))).toEqual(rows.slice(start, end));
      }),
    );
  });

  test("are as few as there are steps in the positions", () => {
    expect(toRowRanges([3, 4, 5, 5, 6, 2, 1, 0])).toEqual({
      starts: Float64Array.of(3, 5, 2, 1, 0),
      ends: Float64Array.of(3, 5, 6, 7, 8),
    });
    expect(toRowRanges([])).toEqual({ starts: new Float64Array(0), ends: new Float64Array(0) });
  });

  test("of ranges hold the positions of all ranges; empty ones, and ones that follow on each other, take no run", () => {
    const ranges = fc.array(fc.tuple(fc.nat(30), fc.nat(5)), { maxLength: 10 });
    fc.assert(
      fc.property(ranges, (all) => {
        const from = all.map(([start]) => start);
        const to = all.map(([start, length]) => start + length);
        const rows = all.flatMap(([start, length]) => Array.from({ length }, (_, i) => start + i));
        expect(allOf(joinRowRanges(from, to))).toEqual(rows);
        expect(joinRowRanges(from, to)).toEqual(toRowRanges(rows));
      }),
    );
  });

  test("of positions above 2^32 hold them", () => {
    const first = 2 ** 40;
    const runs = joinRowRanges([first, 5], [first + 3, 6]);
    expect(allOf(runs)).toEqual([first, first + 1, first + 2, 5]);
  });

  test("of runs are the rows of the rows", () => {
    const two = positions.chain((outer) =>
      fc.tuple(
        fc.constant(outer),
        outer.length === 0
          ? fc.constant([])
          : fc.oneof(fc.array(fc.nat(outer.length - 1), { maxLength: 20 }), fc.subarray([...outer.keys()])),
      ),
    );
    fc.assert(
      fc.property(two, ([outer, inner]) => {
        const rows = composeRowRanges(toRowRanges(outer), toRowRanges(inner));
        expect(allOf(rows)).toEqual(inner.map((at) => outer[at]));
      }),
    );
  });

  test("in pieces give every row its place, in the order of the rows, within blocks", () => {
    fc.assert(
      fc.property(positions, fc.nat(40), fc.nat(40), fc.integer({ min: 1, max: 9 }), (rows, a, b, block) => {
        const start = Math.min(a, b, rows.length);
        const end = Math.min(Math.max(a, b), rows.length);
        const pieces = splitRisingRanges(toRowRanges(rows), start, end, block);
        const found: number[] = [];
        for (let i = 0; i < pieces.count; i++) {
          const [row, length, place] = [pieces.rows[i], pieces.lengths[i], pieces.places[i]];
          expect([length > 0, Math.floor(row / block)]).toEqual([true, Math.floor((row + length - 1) / block)]);
          if (i > 0) expect(row).toBeGreaterThanOrEqual(pieces.rows[i - 1]);
          for (let k = 0; k < length; k++) found[place + k] = row + k;
        }
        expect(found).toEqual(rows.slice(start, end));
      }),
    );
  });

  test("count the rows of the chunks that hold them, each once", () => {
    fc.assert(
      fc.property(positions, fc.integer({ min: 1, max: 9 }), (rows, chunk) => {
        expect(countRowsInChunks(toRowRanges(rows), chunk, 40)).toBe(
          new Set(rows.map((row) => Math.floor(row / chunk))).size * chunk,
        );
      }),
    );
  });
});
