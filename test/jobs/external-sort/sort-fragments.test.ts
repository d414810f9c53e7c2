import fc from "fast-check";
import { expect, test } from "vitest";
import { sortFragments } from "../../../src/jobs/external-sort/sort-fragments.js";
import type { FragmentRows } from "../../../src/kernels/fragments/rows.js";
import { memorySpill } from "./coordinate-batches.js";

type Row = readonly [chr: number, start: number, end: number, cell: number, count: number];

async function* batches(rows: readonly Row[], size: number, counted: boolean): AsyncGenerator<FragmentRows> {
  for (let at = 0; at < rows.length; at += size) {
    const part = rows.slice(at, at + size);
    const column = (i: number) => Uint32Array.from(part, (row) => row[i]);
    const count = counted ? column(4) : null;
    yield { length: part.length, chr: column(0), start: column(1), end: column(2), cell: column(3), count };
  }
}

// Around the borders of what shares a range of the sort's keys.
const chr = fc.constantFrom(0, 1, 23, 63, 64, 65, 4159, 4160, 4161, 2 ** 28 - 1);
const start = fc.oneof(
  fc.nat(3),
  fc.constantFrom(255, 256, 2 ** 15, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);

test("fragments are sorted by chromosome and start, those of equal both as they came", async () => {
  const row = fc.tuple(chr, start, start);
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 120, size: "max" }),
      fc.constantFrom(700, 3000, 2 ** 20),
      fc.boolean(),
      async (found, budgetBytes, counted) => {
        const rows = found.map(([chr, start, end], i): Row => [chr, start, end, i, counted ? 2 ** 32 - 1 - i : 0]);
        const sorted: Row[] = [];
        for await (const part of sortFragments(batches(rows, 37, counted), { budgetBytes, spill: memorySpill() })) {
          for (let i = 0; i < part.length; i++) {
            sorted.push([part.chr[i], part.start[i], part.end[i], part.cell[i], part.count?.[i] ?? 0]);
          }
        }
        expect(sorted).toEqual([...rows].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
      },
    ),
    { numRuns: 40 },
  );
});
