/**
 * Finds the least and the greatest of many texts, comparing their bytes as unsigned numbers. For UTF-8, this is code
 * point order.
 */

import { isBitSet } from "../values/bitmap.js";

/** Strings in Arrow's layout. `validity` marks strings that are not missing; null if no string is missing. */
export interface Texts {
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
  readonly validity: Uint8Array | null;
}

/** A string in a larger byte array, with its first four bytes as a number. */
interface Bound {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly head: number;
}

export class TextRange {
  #least: Bound | null = null;
  #greatest: Bound | null = null;

  /** Adds the strings [from, to). */
  add({ offsets, bytes, validity }: Texts, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      if (validity !== null && !isBitSet(validity, i)) continue;
      this.#add(bytes, offsets[i], offsets[i + 1]);
    }
  }

  #add(bytes: Uint8Array, start: number, end: number): void {
    const head = headOf(bytes, start, end);
    const least = this.#least;
    const greatest = this.#greatest;
    if (least === null || greatest === null) {
      this.#least = { bytes, start, end, head };
      this.#greatest = this.#least;
      return;
    }
    if (head < least.head || (head === least.head && compare(bytes, start, end, least) < 0)) {
      this.#least = { bytes, start, end, head };
    } else if (head > greatest.head || (head === greatest.head && compare(bytes, start, end, greatest) > 0)) {
      this.#greatest = { bytes, start, end, head };
    }
  }

  /** Returns copies of the bounds; null if no string was added or a bound is longer than `longest` bytes. */
  bounds(longest: number): { readonly least: Uint8Array; readonly greatest: Uint8Array } | null {
    const least = this.#least;
    const greatest = this.#greatest;
    if (least === null || greatest === null) return null;
    if (least.end - least.start > longest || greatest.end - greatest.start > longest) return null;
    return {
      least: least.bytes.slice(least.start, least.end),
      greatest: greatest.bytes.slice(greatest.start, greatest.end),
    };
  }
}

/** Returns the first four bytes as a big-endian number. Shorter strings are padded with 0. */
function headOf(bytes: Uint8Array, start: number, end: number): number {
  if (end - start >= 4) {
    return ((bytes[start] << 24) | (bytes[start + 1] << 16) | (bytes[start + 2] << 8) | bytes[start + 3]) >>> 0;
  }
  let head = 0;
  for (let k = 0; k < 4; k++) head = 256 * head + (start + k < end ? bytes[start + k] : 0);
  return head;
}

function compare(bytes: Uint8Array, start: number, end: number, other: Bound): number {
  const shared = Math.min(end - start, other.end - other.start);
  for (let k = 0; k < shared; k++) {
    const difference = bytes[start + k] - other.bytes[other.start + k];
    if (difference !== 0) return difference;
  }
  return end - start - (other.end - other.start);
}
