/** The order of the entries within each list of a matrix. */

import { OrderScratch, stableOrder } from "./stable-order.js";

/**
 * The first list whose positions are not in ascending order (equal ones may follow each other), or -1.
 * @param offsets list i has the positions from offsets[i] - offsets[0] on.
 */
export function firstUnsortedList(offsets: Int32Array, positions: Uint32Array): number {
  const [base] = offsets;
  for (let list = 0; list + 1 < offsets.length; list++) {
    const end = offsets[list + 1] - base;
    for (let i = offsets[list] - base + 1; i < end; i++) if (positions[i] < positions[i - 1]) return list;
  }
  return -1;
}

/** Where the entries of lists belong whose positions, below 2^31, are sorted, those of equal ones as they stand. */
export function sortedPlaces(offsets: Int32Array, positions: Uint32Array): Int32Array {
  const [base] = offsets;
  const keys = new Int32Array(positions.buffer, positions.byteOffset, positions.length);
  const places = new Int32Array(positions.length);
  let scratch = new OrderScratch(0);
  for (let list = 0; list + 1 < offsets.length; list++) {
    const [start, end] = [offsets[list] - base, offsets[list + 1] - base];
    if (scratch.length < end - start) scratch = new OrderScratch(2 * (end - start));
    const order = stableOrder(keys, keys, start, end, scratch);
    for (let i = start; i < end; i++) places[i] = order === null ? i : start + order[i - start];
  }
  return places;
}
