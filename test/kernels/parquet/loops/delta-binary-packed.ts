/**
 * DELTA_BINARY_PACKED of the Parquet format: the first value, then blocks of 128 differences. A block contains its
 * smallest difference and four miniblocks of 32, in which each difference minus the smallest one is bit-packed.
 * Differences wrap at the type's width.
 */

import type { PageBuffer } from "../../../../src/kernels/parquet/page-buffer.js";
import { packInt32, packInt64 } from "./bit-packing.js";

/** Number of differences per block. */
export const BLOCK = 128;
const MINIBLOCK = 32;
const MINIBLOCKS = BLOCK / MINIBLOCK;

const deltas = new Int32Array(BLOCK);
const highs = new Int32Array(BLOCK);

/** Appends the page body of a column of 32-bit integers. Unsigned integers are passed as their bits. */
export function encodeDeltaInt32(values: Int32Array, out: PageBuffer): void {
  const count = values.length;
  encodeDeltaHeader(count, count === 0 ? 0 : values[0], out);
  for (let start = 1; start < count; start += BLOCK)
    encodeDeltaBlock(values, start, Math.min(BLOCK, count - start), out);
}

/** Appends the header and the first value of a page of 32-bit integers, before its first block. */
export function encodeDeltaHeader(count: number, first: number, out: PageBuffer): void {
  header(count, out);
  out.varint(zigzag(first));
}

/**
 * Appends the block of the values [start, start + size). Their predecessor is values[start - 1].
 * @param size 1 … `BLOCK`; only the last block of a page has fewer than `BLOCK`.
 */
export function encodeDeltaBlock(values: Int32Array, start: number, size: number, out: PageBuffer): void {
  let previous = values[start - 1];
  let least = 0x7fffffff;
  let greatest = -0x80000000;
  for (let i = 0; i < size; i++) {
    const value = values[start + i];
    const delta = (value - previous) | 0;
    previous = value;
    deltas[i] = delta;
    if (delta < least) least = delta;
    if (delta > greatest) greatest = delta;
  }
  out.varint(zigzag(least));
  const widths = widthBytes(out);
  if (least === greatest) return;
  for (let i = size; i < BLOCK; i++) deltas[i] = least;
  // A miniblock without values has width 0.
  for (let from = 0; from < size; from += MINIBLOCK) {
    let bits = 0;
    for (let i = from; i < from + MINIBLOCK; i++) bits |= deltas[i] - least;
    const width = 32 - Math.clz32(bits);
    out.bytes[widths + from / MINIBLOCK] = width;
    packInt32(deltas, from, MINIBLOCK, least, width, out);
  }
}

/** Appends the page body of a column of 64-bit integers, passed as 32-bit words, low word first. */
export function encodeDeltaInt64(words: Int32Array, out: PageBuffer): void {
  const count = words.length / 2;
  let low = count === 0 ? 0 : words[0];
  let high = count === 0 ? 0 : words[1];
  header(count, out);
  zigzagVarint64(low, high, out);
  for (let start = 1; start < count; start += BLOCK) {
    const size = Math.min(BLOCK, count - start);
    let leastLow = -1;
    let leastHigh = 0x7fffffff;
    for (let i = 0; i < size; i++) {
      const nextLow = words[2 * (start + i)];
      const nextHigh = words[2 * (start + i) + 1];
      const borrow = nextLow >>> 0 < low >>> 0 ? 1 : 0;
      const deltaLow = (nextLow - low) | 0;
      const deltaHigh = (nextHigh - high - borrow) | 0;
      low = nextLow;
      high = nextHigh;
      deltas[i] = deltaLow;
      highs[i] = deltaHigh;
      if (deltaHigh < leastHigh || (deltaHigh === leastHigh && deltaLow >>> 0 < leastLow >>> 0)) {
        leastLow = deltaLow;
        leastHigh = deltaHigh;
      }
    }
    zigzagVarint64(leastLow, leastHigh, out);
    const widths = widthBytes(out);
    for (let i = 0; i < size; i++) {
      const borrow = deltas[i] >>> 0 < leastLow >>> 0 ? 1 : 0;
      deltas[i] -= leastLow;
      highs[i] -= leastHigh + borrow;
    }
    deltas.fill(0, size);
    highs.fill(0, size);
    for (let from = 0; from < size; from += MINIBLOCK) {
      let lowBits = 0;
      let highBits = 0;
      for (let i = from; i < from + MINIBLOCK; i++) {
        lowBits |= deltas[i];
        highBits |= highs[i];
      }
      const width = highBits === 0 ? 32 - Math.clz32(lowBits) : 64 - Math.clz32(highBits);
      out.bytes[widths + from / MINIBLOCK] = width;
      if (width <= 32) packInt32(deltas, from, MINIBLOCK, 0, width, out);
      else packInt64(deltas, highs, from, MINIBLOCK, width, out);
    }
  }
}

function header(count: number, out: PageBuffer): void {
  out.varint(BLOCK);
  out.varint(MINIBLOCKS);
  out.varint(count);
}

/** Reserves zeroed bytes for the bit widths of a block's miniblocks. */
function widthBytes(out: PageBuffer): number {
  const at = out.length;
  out.reserve(MINIBLOCKS);
  out.bytes.fill(0, at, at + MINIBLOCKS);
  out.length += MINIBLOCKS;
  return at;
}

function zigzag(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}

function zigzagVarint64(low: number, high: number, out: PageBuffer): void {
  const sign = high >> 31;
  let restLow = (low << 1) ^ sign;
  let restHigh = ((high << 1) | (low >>> 31)) ^ sign;
  while (restHigh !== 0 || restLow >>> 0 > 127) {
    out.byte((restLow & 127) | 128);
    restLow = (restLow >>> 7) | (restHigh << 25);
    restHigh >>>= 7;
  }
  out.byte(restLow);
}
