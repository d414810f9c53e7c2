/** The order of a matrix's entries, both as coordinates and within each list. */

import type { IntArray } from "../../model/stored.js";
import { computeStableOrder, OrderScratch } from "./stable-order.js";

/**
 * Returns the index of the first pair of positions that must come before the preceding pair; -1 if all are in order.
 */
export function findUnsortedEntry(major: IntArray, minor: IntArray): number {
  if (major instanceof Int32Array && minor instanceof Int32Array) return outOfOrder32(major, minor);
  for (let i = 1; i < major.length; i++) {
    if (major[i] < major[i - 1] || (major[i] === major[i - 1] && minor[i] < minor[i - 1])) return i;
  }
  return -1;
}

/** Implements `findUnsortedEntry` in a loop over a single array type, which is faster. */
function outOfOrder32(major: Int32Array, minor: Int32Array): number {
  for (let i = 1; i < major.length; i++) {
    if (major[i] < major[i - 1] || (major[i] === major[i - 1] && minor[i] < minor[i - 1])) return i;
  }
  return -1;
}

/**
 * Returns the first list whose positions are not in ascending order (duplicates are allowed), or -1.
 * @param offsets list i has the positions from offsets[i] - offsets[0] on.
 */
export function findUnsortedList(offsets: Int32Array, positions: Uint32Array): number {
  const [base] = offsets;
  for (let list = 0; list + 1 < offsets.length; list++) {
    const end = offsets[list + 1] - base;
    for (let i = offsets[list] - base + 1; i < end; i++) if (positions[i] < positions[i - 1]) return list;
  }
  return -1;
}

/**
 * Returns the indices of all entries in the order in which each list is sorted by position. Entries with equal
 * positions stay in order. Positions are below 2^31.
 */
export function computeSortedPositions(offsets: Int32Array, positions: Uint32Array): Int32Array {
  const [base] = offsets;
  const keys = new Int32Array(positions.buffer, positions.byteOffset, positions.length);
  const places = new Int32Array(positions.length);
  let scratch = new OrderScratch(0);
  for (let list = 0; list + 1 < offsets.length; list++) {
    const [start, end] = [offsets[list] - base, offsets[list + 1] - base];
    if (scratch.length < end - start) scratch = new OrderScratch(2 * (end - start));
    const order = computeStableOrder(keys, keys, start, end, scratch);
    for (let i = start; i < end; i++) places[i] = order === null ? i : start + order[i - start];
  }
  return places;
}
