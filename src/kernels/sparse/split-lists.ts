/** Splits lists of entries by groups of their minor positions: each group gets a part of every list. */

/** The group of each minor position, and its index within the group. */
export interface GroupMap {
  readonly count: number;
  readonly groups: Int32Array;
  readonly places: Int32Array;
}

/**
 * Returns the map of an axis of `size` positions.
 * @param positions all positions of the axis, group by group; ascending within a group.
 * @param ends the number of positions up to and including each group.
 */
export function groupMap(positions: Int32Array, ends: Int32Array, size: number): GroupMap {
  const groups = new Int32Array(size);
  const places = new Int32Array(size);
  for (let group = 0, at = 0; group < ends.length; group++) {
    const first = at;
    for (; at < ends[group]; at++) {
      groups[positions[at]] = group;
      places[positions[at]] = at - first;
    }
  }
  return { count: ends.length, groups, places };
}

/** Entries of some lists, by group. Within a group they are in list order. */
export interface SplitEntries {
  /** The entries of group g have the indices from `starts[g]` up to, but not including, `starts[g + 1]`. */
  readonly starts: Uint32Array;
  /** The part of list i in group g has the length `counts[g * lists + i]`. */
  readonly counts: Int32Array;
  /** The indices of the entries' minor positions within their groups. */
  readonly minor: Int32Array;
  /** For each entry in the lists, its index among these entries. */
  readonly places: Uint32Array;
}

/**
 * Splits the lists [first, end).
 * @param indices minor positions, each within the map.
 * @param offsets list i has the entries from `offsets[i]` up to, but not including, `offsets[i + 1]`.
 */
export function splitEntries(
  indices: Int32Array,
  offsets: Int32Array,
  [first, end]: readonly [number, number],
  { count, groups, places: inGroup }: GroupMap,
): SplitEntries {
  const lists = end - first;
  const from = offsets[first];
  const length = offsets[end] - from;
  const counts = new Int32Array(count * lists);
  for (let list = 0; list < lists; list++) {
    const stop = offsets[first + list + 1];
    for (let i = offsets[first + list]; i < stop; i++) counts[groups[indices[i]] * lists + list]++;
  }
  const starts = new Uint32Array(count + 1);
  for (let group = 0, total = 0; group < count; group++) {
    for (let at = group * lists; at < (group + 1) * lists; at++) total += counts[at];
    starts[group + 1] = total;
  }
  const next = starts.slice(0, count);
  const minor = new Int32Array(length);
  const places = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    const index = indices[from + i];
    const place = next[groups[index]]++;
    places[i] = place;
    minor[place] = inGroup[index];
  }
  return { starts, counts, minor, places };
}
