import type { IntArray } from "../../model/stored.js";

/** The index of the first pair of positions that comes before the pair at its left; -1 where there is none. */
export function firstOutOfOrder(major: IntArray, minor: IntArray): number {
  if (major instanceof Int32Array && minor instanceof Int32Array) return outOfOrder32(major, minor);
  for (let i = 1; i < major.length; i++) {
    if (major[i] < major[i - 1] || (major[i] === major[i - 1] && minor[i] < minor[i - 1])) return i;
  }
  return -1;
}

/** A loop that sees one kind of array. */
function outOfOrder32(major: Int32Array, minor: Int32Array): number {
  for (let i = 1; i < major.length; i++) {
    if (major[i] < major[i - 1] || (major[i] === major[i - 1] && minor[i] < minor[i - 1])) return i;
  }
  return -1;
}
