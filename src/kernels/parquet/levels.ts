/** Definition levels of a flat column: 1 for a value, 0 for a missing value. */

import { appendBits, type BitRange } from "./bit-ranges.js";
import { PageBuffer } from "./page-buffer.js";

/** Minimum number of equal bytes for which a run length is shorter than packed bits. */
const SHORTEST_RUN = 4;

const bitmap = new PageBuffer(2 ** 14);

/**
 * Appends the levels of a data page (version 1), preceded by their length. One-bit levels are packed like Arrow's
 * validity.
 * @param runs the validity of the page's rows.
 * @returns the number of values that are not missing.
 */
export function appendLevels(runs: readonly BitRange[], out: PageBuffer): number {
  const start = out.length;
  out.reserve(4);
  out.length += 4;
  const present = runs.every(({ bits }) => bits === null) ? allPresent(runs, out) : hybridBits(runs, out);
  out.view.setUint32(start, out.length - start - 4, true);
  return present;
}

function allPresent(runs: readonly BitRange[], out: PageBuffer): number {
  const rows = rowsOf(runs);
  run(rows, 1, out);
  return rows;
}

function hybridBits(runs: readonly BitRange[], out: PageBuffer): number {
  bitmap.clear();
  const present = appendBits(runs, bitmap);
  const bytes = bitmap.written();
  // If the last byte is incomplete, it is bit-packed.
  const whole = rowsOf(runs) >> 3;
  let packed = 0;
  for (let at = 0; at < whole; ) {
    const byte = bytes[at];
    let end = at + 1;
    if (byte === 0 || byte === 255) {
      while (end < whole && bytes[end] === byte) end++;
      if (end - at >= SHORTEST_RUN) {
        pack(bytes.subarray(packed, at), out);
        run(8 * (end - at), byte & 1, out);
        packed = end;
      }
    }
    at = end;
  }
  pack(bytes.subarray(packed), out);
  return present;
}

function run(length: number, level: number, out: PageBuffer): void {
  out.varint(2 * length);
  out.byte(level);
}

function pack(bytes: Uint8Array, out: PageBuffer): void {
  if (bytes.length === 0) return;
  out.varint(2 * bytes.length + 1);
  out.append(bytes);
}

function rowsOf(runs: readonly BitRange[]): number {
  return runs.reduce((sum, { length }) => sum + length, 0);
}
