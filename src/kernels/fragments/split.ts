/** Splits fragments by groups of their cells. */

import type { GroupMap } from "../sparse/split-lists.js";

/** Fragments by group. Within a group, the fragments stay in order, and cells are indices within the group. */
export interface GroupedFragments {
  /** The fragments of group g have the indices from `starts[g]` up to, but not including, `starts[g + 1]`. */
  readonly starts: Uint32Array;
  /** For each group, all values of the first field, then all values of the second field, and so on. */
  readonly words: Uint32Array;
}

/**
 * @param fields the values of each field, all of the same length.
 * @param cell the field that contains the cells, each within the map.
 */
export function groupFragments(
  fields: readonly Uint32Array[],
  cell: number,
  { count, groups, places }: GroupMap,
): GroupedFragments {
  const cells = fields[cell];
  const { length } = cells;
  const starts = new Uint32Array(count + 1);
  for (let i = 0; i < length; i++) starts[groups[cells[i]] + 1]++;
  for (let group = 0; group < count; group++) starts[group + 1] += starts[group];
  const words = new Uint32Array(fields.length * length);
  const next = new Uint32Array(count);
  for (const [field, values] of fields.entries()) {
    for (let group = 0; group < count; group++) {
      next[group] = fields.length * starts[group] + field * (starts[group + 1] - starts[group]);
    }
    if (field === cell) for (let i = 0; i < length; i++) words[next[groups[cells[i]]]++] = places[cells[i]];
    else for (let i = 0; i < length; i++) words[next[groups[cells[i]]]++] = values[i];
  }
  return { starts, words };
}
