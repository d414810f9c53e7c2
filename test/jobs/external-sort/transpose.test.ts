import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Column } from "../../../src/arrow/column.js";
import { createEntriesColumn } from "../../../src/arrow/sparse.js";
import { INT32 } from "../../../src/arrow/type.js";
import { transposeEntries } from "../../../src/jobs/external-sort/transpose.js";
import { groupEntriesByRange } from "../../../src/jobs/run/entries-by-range.js";
import { createEntryRanges, type EntriesByRange, getMaxListCount } from "../../../src/kernels/sparse/entry-ranges.js";
import { draws } from "../../draws.js";
import { column, type Entry, memorySpill, naivelySorted, numbersOf } from "./coordinate-batches.js";

type List = readonly { readonly position: number; readonly value: number }[];
type Numbers = Float64ArrayConstructor | Uint8ArrayConstructor | Uint16ArrayConstructor | Int32ArrayConstructor;

/** Blocks of `size` lists, whose memory is overwritten once the next one is requested. */
async function* blocks(lists: readonly List[], size: number, minors: number, Kind: Numbers) {
  const bands = createEntryRanges(minors);
  for (let first = 0; first < lists.length; first += size) {
    const part = lists.slice(first, first + size);
    const pointers = Float64Array.from({ length: part.length + 1 }, (_, i) => part.slice(0, i).flat().length + 5);
    const index = column(Int32Array.from(part.flat(), ({ position }) => position));
    if (index.layout !== "primitive") throw new TypeError("integers");
    const values = valuesOf(
      part.flat().map(({ value }) => value),
      Kind,
    );
    for (const block of groupEntriesByRange(
      { length: part.length, columns: [createEntriesColumn(pointers, index, values)] },
      first,
      bands,
      null,
    )) {
      yield block;
      block.keys.fill(-1);
      for (const words of block.values) words.fill(-1);
    }
  }
}

function valuesOf(values: readonly number[], Kind: Numbers): Column {
  const all = Kind.from(values);
  const signed = Kind === Int32Array;
  const bits = all.BYTES_PER_ELEMENT * 8;
  const type =
    Kind === Float64Array
      ? ({ id: "Float", bits: 64 } as const)
      : ({ id: "Int", bits: bits === 8 ? 8 : bits === 16 ? 16 : 32, signed } as const);
  return { layout: "primitive", type, length: all.length, validity: null, values: all };
}

interface Given {
  readonly lists: readonly List[];
  readonly minors: number;
}

async function transposed({ lists, minors }: Given, size: number, budgetBytes: number, Kind: Numbers = Float64Array) {
  const spill = memorySpill();
  const order = "column";
  const options = { bands: createEntryRanges(minors), order, like: valuesOf([], Kind), spill, budgetBytes } as const;
  const found: Entry[] = [];
  for await (const { length, columns } of transposeEntries(blocks(lists, size, minors, Kind), options)) {
    const [row, col, value] = columns.map(numbersOf);
    for (let i = 0; i < length; i++) found.push([row[i], col[i], value[i]]);
  }
  return { found, spill };
}

const sorted = (lists: readonly List[]) =>
  naivelySorted(
    lists.flatMap((list, row) => list.map(({ position, value }): Entry => [row, position, value])),
    "column",
  );

describe("transposed lists", () => {
  /** Bands of one position and of many; some matrices with a position that most entries have. */
  const given = fc.constantFrom(1, 3, 40, 5000, 2 ** 17).chain((minors) =>
    fc.tuple(fc.nat(minors - 1), fc.boolean()).chain(([frequent, isCrowded]) => {
      const position = isCrowded ? fc.option(fc.nat(minors - 1), { freq: 1, nil: frequent }) : fc.nat(minors - 1);
      const entry = fc.record({ position, value: fc.nat(200) });
      return fc.record({
        lists: fc.array(fc.array(entry, { maxLength: 12 }), { maxLength: 40, size: "max" }),
        minors: fc.constant(minors),
      });
    }),
  );

  test("are the naive sort's entries, whatever fits into memory", async () => {
    const budget = fc.constantFrom(1, 200, 1000, 2 ** 20);
    await fc.assert(
      fc.asyncProperty(given, budget, fc.integer({ min: 1, max: 15 }), async (given, budget, size) => {
        const { found, spill } = await transposed(given, size, budget);
        expect(found).toEqual(sorted(given.lists));
        expect(spill.removed).toBe(spill.appended > 0 ? 1 : 0);
        if (budget === 2 ** 20) expect(spill.appended).toBe(0);
      }),
      draws(150),
    );
  });

  test.each([Uint8Array, Uint16Array, Int32Array])("have values of %o", async (Kind) => {
    const lists = Array.from({ length: 50 }, (_, row) =>
      Array.from({ length: 7 }, (_, i) => ({ position: (row * 13 + i * 29) % 97, value: (row * 7 + i) % 251 })),
    );
    const { found, spill } = await transposed({ lists, minors: 97 }, 6, 800, Kind);
    expect(found).toEqual(sorted(lists));
    expect(spill.appended).toBeGreaterThan(0);
  });

  test("are several blocks where their numbers do not fit into the keys", () => {
    const minors = 2 ** 31;
    const bands = createEntryRanges(minors);
    const count = getMaxListCount(bands) + 3;
    const pointers = Float64Array.from({ length: count + 1 }, (_, i) => i);
    const positions = Int32Array.from({ length: count }, (_, i) => minors - 1 - i * 1000);
    const index = { layout: "primitive", type: INT32, length: count, validity: null, values: positions } as const;
    const lists = createEntriesColumn(pointers, index, valuesOf(Array.from(positions.keys()), Int32Array));
    const found: readonly EntriesByRange[] = groupEntriesByRange({ length: count, columns: [lists] }, 10, bands, null);
    expect(found.map(({ first, lists }) => [first, lists])).toEqual([
      [10, count - 3],
      [10 + count - 3, 3],
    ]);
  });

  test("come no further once their signal is aborted", async () => {
    const lists = [[{ position: 0, value: 1 }]];
    const options = { bands: createEntryRanges(1), order: "column", like: valuesOf([], Int32Array) } as const;
    const signal = AbortSignal.abort(new Error("enough"));
    const all = transposeEntries(blocks(lists, 1, 1, Int32Array), { ...options, spill: memorySpill(), signal });
    await expect(all.next()).rejects.toThrow("enough");
  });

  test("leave nothing in the spill after an error", async () => {
    const spill = memorySpill();
    async function* broken(): AsyncGenerator<EntriesByRange> {
      yield* blocks([[{ position: 0, value: 1 }]], 1, 1, Int32Array);
      throw new Error("unreadable");
    }
    const options = { bands: createEntryRanges(1), order: "column", like: valuesOf([], Int32Array), spill } as const;
    await expect(transposeEntries(broken(), { ...options, budgetBytes: 1 }).next()).rejects.toThrow("unreadable");
    expect([spill.appended, spill.removed]).toEqual([1, 1]);
  });
});
