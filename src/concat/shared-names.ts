/** Names along the axis of a concatenation that several datasets have, for a warning. */

import type { ColumnTable } from "../tables/column-table.js";
import { indexColumns, unnamedFrame } from "./frames.js";
import { NumberedNames } from "./joined-names.js";

/** Most names that are compared: more would take too much memory for a warning. */
const MOST_NAMES = 2 ** 20;

interface NamedDataset {
  readonly source: string;
  /** The frame of the axis; null for a dataset without, whose names are its positions. */
  readonly frame: ColumnTable | null;
  readonly length: number;
}

/** A name of two datasets. */
export interface SharedName {
  readonly name: string;
  readonly sources: readonly [first: string, second: string];
}

/**
 * Finds a name that two datasets have, in the order of the datasets, among the first 2^20 names. Frames that can be read
 * once are left out.
 */
export async function sharedName(
  datasets: readonly NamedDataset[],
  axis: string,
  signal: AbortSignal | undefined,
): Promise<SharedName | null> {
  const all = new NumberedNames();
  /** The number of names of each dataset together with those before. */
  const ends: number[] = [];
  const sources: string[] = [];
  for (const { source, frame, length } of datasets) {
    if (frame?.repeatable === false) continue;
    if (all.count + length > MOST_NAMES) return null;
    signal?.throwIfAborted();
    const before = all.count;
    const numbers = all.numbersOf(await indexColumns(frame ?? unnamedFrame(axis, length), signal));
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
