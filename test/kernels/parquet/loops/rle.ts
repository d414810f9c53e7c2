/** The RLE/bit-packing hybrid encoding that Parquet uses for dictionary indices and levels. */

import type { PageBuffer } from "../../../../src/kernels/parquet/page-buffer.js";
import { packInt32, packUint16 } from "./bit-packing.js";

/** Minimum number of groups of 8 equal values for which a run length is shorter than packed values. */
const SHORTEST_RUN = 2;

/**
 * Appends `indices[0 … count)`.
 * @param indices memory up to the next multiple of 8, whose rest is overwritten with 0.
 * @param width bits of an index, 0 … 16, or 0 … 32 where the indices are 32 bits wide.
 */
export function encodeHybrid(indices: Uint16Array | Int32Array, count: number, width: number, out: PageBuffer): void {
  const groups = (count + 7) >> 3;
  indices.fill(0, count, 8 * groups);
  // An incomplete last group is never part of a run.
  const whole = count & ~7;
  let done = 0;
  while (done < groups) {
    let start = done;
    let run = 0;
    for (; 8 * start < whole; start++) {
      run = equalGroups(indices, 8 * start, whole);
      if (run >= SHORTEST_RUN) break;
      run = 0;
    }
    if (run === 0) start = groups;
    if (start > done) {
      out.varint(2 * (start - done) + 1);
      if (indices instanceof Int32Array) packInt32(indices, 8 * done, 8 * (start - done), 0, width, out);
      else packUint16(indices, done, start - done, width, out);
    }
    if (run > 0) {
      out.varint(2 * 8 * run);
      for (let bits = 0, rest = indices[8 * start]; bits < width; bits += 8, rest >>>= 8) out.byte(rest & 255);
    }
    done = start + run;
  }
}

/** Counts the whole groups, starting at `from`, in which all values equal the value at `from`. */
function equalGroups(indices: Uint16Array | Int32Array, from: number, end: number): number {
  const value = indices[from];
  let at = from + 1;
  while (at < end && indices[at] === value) at++;
  return (at - from) >> 3;
}
