/** Tables of fragments, and random ones for tests of properties. */

import fc from "fast-check";
import type { Column } from "../../src/arrow/column.js";
import { createTextColumn } from "../../src/arrow/text.js";
import type { ColumnTable } from "../../src/tables/column-table.js";
import { dictionary, ints, type TableOptions, table, text } from "./tables.js";

export interface Fragment {
  readonly chr: string;
  readonly start: number;
  readonly end: number;
  readonly cell: string;
}

export interface FragmentTableOptions extends TableOptions {
  /** Names of the dictionaries; columns of text where there are none. */
  readonly chrNames?: readonly string[];
  readonly cellNames?: readonly string[];
  /** Rows of a batch; all in one by default. */
  readonly size?: number;
}

export function fragmentTable(fragments: readonly Fragment[], options: FragmentTableOptions = {}): ColumnTable {
  const { chrNames, cellNames, size = Math.max(1, fragments.length), ...rest } = options;
  const dictionaries = { chr: names(chrNames), cell: names(cellNames) };
  const batches = [];
  for (let at = 0; at === 0 || at < fragments.length; at += size) {
    const part = fragments.slice(at, at + size);
    batches.push({
      chr: named(part, "chr", chrNames, dictionaries.chr),
      start: ints(Uint32Array.from(part, ({ start }) => start)),
      end: ints(Uint32Array.from(part, ({ end }) => end)),
      cell_id: named(part, "cell", cellNames, dictionaries.cell),
    });
  }
  return table("fragments", batches, rest);
}

const names = (all: readonly string[] | undefined) => createTextColumn(all ?? []);

function named(
  part: readonly Fragment[],
  column: "chr" | "cell",
  all: readonly string[] | undefined,
  entries: Column,
): Column {
  const values = part.map((fragment) => fragment[column]);
  if (all !== undefined)
    return dictionary(
      values.map((value) => all.indexOf(value)),
      entries,
    );
  return text(...values);
}

/** Sorted by the place of the chromosome in `order` and start, those of equal both as they stand. */
export function sorted(fragments: readonly Fragment[], order: readonly string[]): Fragment[] {
  return [...fragments].sort((a, b) => order.indexOf(a.chr) - order.indexOf(b.chr) || a.start - b.start);
}

export const firsts = (values: readonly string[]) => [...new Set(values)];

export const CHR_NAMES = ["chr10", "chr2", "", "chrX", "nothing"];
export const CELL_NAMES = Array.from({ length: 30 }, (_, i) => `AC-${i}`);

/** Up to 600 fragments, in some order; many of equal starts, or with numbers of all sizes. */
export const anyFragments: fc.Arbitrary<Fragment[]> = fc.constantFrom(4, 1000, 2 ** 28, 2 ** 32 - 1).chain((most) => {
  const fragment = fc
    .record({
      chr: fc.constantFrom(...CHR_NAMES.slice(0, 4)),
      start: fc.integer({ min: 0, max: most }),
      length: fc.oneof({ weight: 9, arbitrary: fc.nat(600) }, fc.constant(2 ** 32)),
      cell: fc.constantFrom(...CELL_NAMES.slice(1)),
    })
    .map(({ length, ...rest }): Fragment => ({ ...rest, end: Math.min(rest.start + length, 2 ** 32 - 1) }));
  return fc.array(fragment, { maxLength: 600, size: "max" });
});
