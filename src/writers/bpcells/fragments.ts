/** Fragments of BPCells, version 2: `cell`, `start` and `end`, packed or not, and where their chromosomes lie. */

import type { GroupWriter } from "../../containers/tree/container-writer.js";
import type { Spill } from "../../external-sort/spill.js";
import { InvalidInputError, located } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { orderedFragments } from "../../tables/ordered-fragments.js";
import { textAttribute } from "./array-types.js";
import { openFragmentArrays } from "./fragments-arrays.js";
import { ChromosomeRanges } from "./fragments-chromosomes.js";
import { EndMaxima } from "./fragments-end-max.js";
import { writeNames } from "./fragments-names.js";

export interface FragmentsOptions {
  /** True by default. */
  readonly packed?: boolean;
  /** Leave out columns that fragments do not have, with a warning, instead of stopping. */
  readonly lossy?: boolean;
  /** Where fragments go that do not fit into memory while they are sorted. */
  readonly spill: Spill | null;
  /** Memory for sorting, 96 MiB by default. */
  readonly budgetBytes?: number;
  readonly signal?: AbortSignal;
  readonly progress?: (done: number, total: number | null) => void;
}

export interface WrittenFragments {
  readonly rows: number;
  readonly warnings: readonly string[];
}

/**
 * Writes a table with the columns `chr`, `start`, `end` (exclusive) and `cell_id` into `group`, sorted by chromosome
 * and start where it is not. Chromosomes and cells have the order of the columns' dictionaries, or that in which they
 * first appear.
 * @throws {InvalidInputError} for other columns, nulls, positions that are negative or have more than 32 bits, fragments
 * that end before they start, and names with a newline or a NUL.
 * @throws {UnsupportedError} for more fragments out of order than memory is allowed for, where there is no spill.
 */
export async function writeFragments(
  group: GroupWriter,
  table: ColumnTable,
  options: FragmentsOptions,
): Promise<WrittenFragments> {
  const { packed = true, lossy = false, spill, budgetBytes, signal, progress } = options;
  const warnings: string[] = [];
  const fragments = await orderedFragments(table, {
    spill,
    ...(budgetBytes === undefined ? {} : { budgetBytes }),
    ...(signal ? { signal } : {}),
    ...(progress ? { progress } : {}),
  });
  const { page } = fragments;
  const unknown = [...fragments.others, ...(fragments.hasCount ? ["count"] : [])];
  if (unknown.length > 0) {
    const problem = `fragments of BPCells have no column ${unknown.join(", ")}`;
    if (!lossy) {
      throw new InvalidInputError(`${problem}; leave it out, or allow losses`, { element: table.name });
    }
    warnings.push(`${table.name}: ${problem}; left out`);
  }
  group.attribute("version", textAttribute(`${packed ? "packed" : "unpacked"}-fragments-v2`));
  const arrays = await openFragmentArrays(group, packed);
  const maxima = await EndMaxima.open(group);
  const ranges = new ChromosomeRanges();
  for await (const { rows, runs } of fragments.pieces) {
    await arrays.write(rows, page.lengths());
    for (const { chr, from, to } of runs) {
      ranges.add(chr, to - from);
      maxima.add(chr, page, from, to);
    }
    await maxima.flush();
  }
  await arrays.close();
  await maxima.close();
  await ranges.write(group, fragments.chr.count);
  await located({ element: table.name }, async () => {
    await writeNames(group, "chr_names", fragments.chr);
    await writeNames(group, "cell_names", fragments.cell);
  });
  const backwards = fragments.backwards();
  if (backwards > 0) warnings.push(`${table.name}: ${backwards} fragments end before they start, as they were stored`);
  return { rows: ranges.count, warnings };
}
