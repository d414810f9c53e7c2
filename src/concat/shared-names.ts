/** Finds a name along the concatenation axis that several datasets share, for a warning. */

import type { ColumnTable } from "../tables/column-table.js";
import { createUnnamedFrame, indexColumns } from "./frames.js";
import { NumberedNames } from "./joined-names.js";

/** Maximum number of names to compare. Comparing more would take too much memory just for a warning. */
const MAX_NAMES = 2 ** 20;

interface NamedDataset {
  readonly source: string;
  /** The dataframe of the axis; null for a dataset without one, which uses positions as names. */
  readonly frame: ColumnTable | null;
  readonly length: number;
}

export interface SharedName {
  readonly name: string;
  readonly sources: readonly [first: string, second: string];
}

/**
 * Finds a name that two datasets share, among the first 2^20 names in the order of the datasets. Dataframes that can be
 * read only once are skipped.
 */
export async function findSharedName(
  datasets: readonly NamedDataset[],
  axis: string,
  signal: AbortSignal | undefined,
): Promise<SharedName | null> {
  const all = new NumberedNames();
  /** Cumulative number of names after each dataset. */
  const ends: number[] = [];
  const sources: string[] = [];
  for (const { source, frame, length } of datasets) {
    if (frame?.repeatable === false) continue;
    if (all.count + length > MAX_NAMES) return null;
    signal?.throwIfAborted();
    const before = all.count;
    const numbers = all.numbersOf(await indexColumns(frame ?? createUnnamedFrame(axis, length), signal));
    const shared = numbers.find((number) => number < before);
    if (shared !== undefined) {
      return {
        name: all.names(Int32Array.of(shared))[0],
        sources: [sources[ends.findIndex((end) => shared < end)], source],
      };
    }
    ends.push(all.count);
    sources.push(source);
  }
  return null;
}
