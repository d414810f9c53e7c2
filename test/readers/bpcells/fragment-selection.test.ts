/** Chromosomes, ranges and cells: what is found, and how little is read. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { openSource, toDataset } from "../../../src/api/open.js";
import { mapSource } from "../../../src/io/sources/map.js";
import type { KeyValueSource } from "../../../src/io/sources/source.js";
import type { FragmentSelection } from "../../../src/model/dataset.js";
import { type Chromosome, columnsOf, makeStore } from "./fragment-stores.js";

const CELLS = 7;

interface Row {
  readonly chr: string;
  readonly start: number;
  readonly end: number;
  readonly cell: string;
}

function rowsOf(chromosomes: readonly Chromosome[]): Row[] {
  return chromosomes.flatMap(({ start, end, cell }, c) =>
    start.map((_, i) => ({ chr: `c${c}`, start: start[i], end: end[i], cell: String(cell[i]) })),
  );
}

/** The rows that a pass over all of them keeps. */
function filtered(rows: readonly Row[], { chr, range, cell }: FragmentSelection): Row[] {
  const [chromosomes, cells] = [chr && new Set(chr), cell && new Set(cell)];
  return rows.filter(
    (row) =>
      (chromosomes?.has(row.chr) ?? true) &&
      (cells?.has(row.cell) ?? true) &&
      (range === undefined || (range[0] < range[1] && row.start < range[1] && row.end > range[0])),
  );
}

const chromosome = fc
  .record({
    length: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 120, max: 700 })),
    step: fc.constantFrom(0, 1, 30, 4000, 4_000_000),
    long: fc.constantFrom(0, 0.01, 0.5),
    seed: fc.integer({ min: 1, max: 2 ** 31 }),
  })
  .map(({ length, step, long, seed }): Chromosome => {
    let state = seed;
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state / 2 ** 32;
    };
    let at = 0;
    const start = Array.from({ length }, () => {
      at += Math.floor(random() * (step + 1));
      return at;
    });
    const end = start.map((begin) =>
      Math.min(2 ** 32 - 1, begin + Math.floor(random() * (random() < long ? 10 ** 6 : 90))),
    );
    return { start, end, cell: start.map(() => Math.floor(random() * CELLS)) };
  });

describe("the same as a pass over all fragments", () => {
  test("whatever end_max says", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(chromosome, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        fc.infiniteStream(fc.constantFrom(0, 1, 5000, 2 ** 32 - 1)),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 9000 })), {
          maxLength: 3,
        }),
        fc.subarray(Array.from({ length: CELLS }, (_, i) => String(i))),
        fc.constantFrom(50, 800, undefined),
        async (chromosomes, packed, endMax, places, cell, batchRows) => {
          const store = makeStore(chromosomes, CELLS, packed, () => endMax.next().value ?? 0);
          const table = (await open(store)).table("fragments");
          const rows = rowsOf(chromosomes);
          const greatest = Math.max(1, ...rows.map((row) => row.start));
          const ranges = places.map(([part, size]) => {
            const from = Math.floor(part * greatest);
            return [from, from + size] as const;
          });
          const chr = chromosomes.map((_, i) => `c${i}`).filter((_, i) => i % 2 === 0);
          const selections: FragmentSelection[] = [{ chr }, { cell }, { chr, cell }];
          for (const range of ranges) selections.push({ range }, { chr, range }, { range, cell });
          for (const fragments of selections) {
            const found: Row[] = [];
            const options = batchRows === undefined ? {} : { batchBytes: 16 * batchRows };
            for await (const batch of table.batches({ fragments, ...options })) {
              if (batchRows !== undefined) expect(batch.numRows).toBeLessThanOrEqual(batchRows);
              const columns = columnsOf(batch);
              for (let i = 0; i < batch.numRows; i++) {
                const [start, end] = [Number(columns.start[i]), Number(columns.end[i])];
                found.push({ chr: String(columns.chr[i]), start, end, cell: String(columns.cell_id[i]) });
              }
            }
            expect(found).toEqual(filtered(rows, fragments));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("with some columns, in their order", async () => {
    const one = { start: [1, 5, 9, 9], end: [2, 8, 30, 10], cell: [0, 1, 2, 0] };
    for (const packed of [true, false]) {
      const table = (await open(makeStore([one], 3, packed))).table("fragments");
      const read = (fragments: FragmentSelection, columns: string[]) => table.read({ fragments, columns });
      expect(columnsOf(await read({ range: [6, 10] }, ["end"]))).toEqual({ end: [8, 30, 10] });
      expect(columnsOf(await read({ cell: ["0"] }, ["cell_id", "chr"]))).toEqual({
        cell_id: ["0", "0"],
        chr: ["c0", "c0"],
      });
      expect(columnsOf(await read({ cell: ["0", "2"], range: [9, 10] }, ["start"]))).toEqual({ start: [9, 9] });
    }
  });
});

describe("what is read", () => {
  const COUNT = 200_000;
  const chromosomes = [0, 3, 5].map((shift): Chromosome => {
    const start = Array.from({ length: COUNT }, (_, i) => 10 * i + shift);
    return { start, end: start.map((at, i) => at + 50 + (i % 300)), cell: start.map((_, i) => (i * 7919) % 1000) };
  });

  /** The store, and what its arrays were asked for since it was opened. */
  async function counted(packed: boolean) {
    const files = makeStore(chromosomes, 1000, packed);
    const source = mapSource(files);
    const read = { bytes: 0, calls: 0 };
    const counting: KeyValueSource = {
      ...source,
      get: (key, options) => source.get(key, options),
      getRanges: async (key, ranges, options) => {
        const parts = await source.getRanges(key, ranges, options);
        read.calls += ranges.length;
        read.bytes += parts?.reduce((sum, part) => sum + part.length, 0) ?? 0;
        return parts;
      },
    };
    const data = await toDataset(openSource(counting, {}));
    const total = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    read.bytes = 0;
    read.calls = 0;
    return { table: data.table("fragments"), read, total };
  }

  test("a range of a packed store: what tells of its chunks, and these", async () => {
    const { table, read, total } = await counted(true);
    const fragments = { chr: ["c1"], range: [1_000_000, 1_010_000] } as const;
    const found = await table.read({ fragments });
    expect(found.numRows).toBe(filtered(rowsOf(chromosomes), fragments).length);
    // Of each chunk of the chromosome three words, and a few chunks of each array with what lies around them.
    expect(read.bytes).toBeLessThan(total / 4);
    expect(read.calls).toBeLessThan(30);
  });

  test("a range of a plain store: the ends in front of it, and its own fragments", async () => {
    const { table, read } = await counted(false);
    const fragments = { chr: ["c1"], range: [500_000, 501_000] } as const;
    const found = await table.read({ fragments });
    expect(found.numRows).toBe(filtered(rowsOf(chromosomes), fragments).length);
    expect(read.bytes).toBeLessThan(2 ** 18);
    expect(read.calls).toBeLessThan(24);
  });

  test("a chromosome of a packed store: no more than its share", async () => {
    const { table, read, total } = await counted(true);
    expect((await table.read({ fragments: { chr: ["c2"] } })).numRows).toBe(COUNT);
    expect(read.bytes).toBeLessThan(total / 2);
  });
});

describe("refused", () => {
  const one = { start: [1], end: [2], cell: [0] };
  const table = async () => (await open(makeStore([one], 1, true))).table("fragments");

  test("names that are not there", async () => {
    await expect((await table()).read({ fragments: { chr: ["chr0"] } })).rejects.toThrow(
      /fragments: no chromosome "chr0"; did you mean c0\?/,
    );
    await expect((await table()).read({ fragments: { cell: ["x"] } })).rejects.toThrow(/no cell "x"; did you mean 0\?/);
  });

  test("no range", async () => {
    await expect((await table()).read({ fragments: { range: [5, 4] } })).rejects.toThrow(/bases 5 to 4 are no range/);
    await expect((await table()).read({ fragments: { range: [Number.NaN, 4] } })).rejects.toThrow(/no range/);
  });

  test("together with rows", async () => {
    await expect((await table()).read({ rows: [0, 1], fragments: {} })).rejects.toThrow(
      /either rows, where or fragments/,
    );
  });

  test("in a table of something else", async () => {
    const data = await open("test/fixtures/data/bpcells/packed");
    await expect(data.table("matrix").read({ fragments: {} })).rejects.toThrow(/matrix: .*are selected of fragments/);
    await data.close();
  });
});
