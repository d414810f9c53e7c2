/** Places blocks of an array in C order, with the dimensions reversed. */

import { once } from "../values/once.js";

/** A block of an array: the position of its first element, and its size in each dimension. */
export interface ArrayBox {
  readonly offset: readonly number[];
  readonly shape: readonly number[];
}

/**
 * Number of rows for which adjacent elements within one cache line of the source are copied, so that all these lines
 * stay in the first-level cache.
 */
const ROWS = 32;
const LINE_BYTES = 64;

/**
 * Copies the elements of `block` at positions [start, end) of the last dimension to their positions in `target`.
 * `target` contains all elements of `extent` at these positions, with the dimensions reversed, so that the last
 * dimension comes first.
 * @param bytes the bytes of the block in C order; elements beyond `extent` are skipped.
 * @param size bytes of one element.
 */
export function copyReversed(
  bytes: Uint8Array,
  block: ArrayBox,
  extent: readonly number[],
  [start, end]: readonly [start: number, end: number],
  target: Uint8Array,
  size: number,
): void {
  const rank = extent.length;
  const low = block.offset.map((at, d) => (d === rank - 1 ? Math.max(at, start) : at));
  const high = block.offset.map((at, d) => Math.min(at + block.shape[d], d === rank - 1 ? end : extent[d]));
  if (low.some((at, d) => at >= high[d])) return;
  const from = block.shape.map(() => 1);
  for (let d = rank - 2; d >= 0; d--) from[d] = from[d + 1] * block.shape[d + 1];
  const to = extent.map(() => 1);
  for (let d = 1; d < rank; d++) to[d] = to[d - 1] * extent[d - 1];
  let source = 0;
  let place = 0;
  for (let d = 0; d < rank; d++) {
    source += (low[d] - block.offset[d]) * from[d];
    place += (low[d] - (d === rank - 1 ? start : 0)) * to[d];
  }
  const copy = copier(bytes, target, size);
  if (rank === 1) {
    copy(source, 1, place, 1, 1, high[0] - low[0]);
    return;
  }
  const last = rank - 1;
  const [rows, columns] = [high[0] - low[0], high[last] - low[last]];
  // Index in the dimensions between the first and the last; the loop increments it.
  const at = low.slice();
  for (;;) {
    copy(source, from[0], place, to[last], rows, columns);
    let d = last - 1;
    for (; d >= 1; d--) {
      source += from[d];
      place += to[d];
      if (++at[d] < high[d]) break;
      source -= (high[d] - low[d]) * from[d];
      place -= (high[d] - low[d]) * to[d];
      at[d] = low[d];
    }
    if (d < 1) return;
  }
}

/**
 * Copies rows x columns. In the source, rows are `fromStride` apart and columns are adjacent; in the target, columns
 * are `toStride` apart and rows are adjacent.
 */
type Copy = (
  source: number,
  fromStride: number,
  place: number,
  toStride: number,
  rows: number,
  columns: number,
) => void;

function copier(bytes: Uint8Array, target: Uint8Array, size: number): Copy {
  const word = wordOf(size, bytes, target);
  if (size === 8 && word === 8) {
    const [from, to] = [bytes, target].map((all) => new Float64Array(all.buffer, all.byteOffset, all.length / 8));
    return (...ranges) => copyDoubles(from, to, ...ranges);
  }
  if (word === 1) return (...ranges) => copyWords(bytes, target, size, ...ranges);
  const width = word === 2 ? 2 : 4;
  const [from, to] = [words(bytes, width), words(target, width)];
  return (...ranges) => copyWords(from, to, size / width, ...ranges);
}

/** Selects the word type for moving values. On some engines, moving values as floats would change the bits of a NaN. */
function wordOf(size: number, ...all: readonly Uint8Array[]): 1 | 2 | 4 | 8 {
  const fits = (width: number) =>
    size % width === 0 && all.every(({ byteOffset, length }) => byteOffset % width === 0 && length % width === 0);
  if (fits(8) && doublesKeepBits()) return 8;
  return fits(4) ? 4 : fits(2) ? 2 : 1;
}

/** Returns whether this engine moves doubles without changing bits, which is twice as fast as moving words. */
const doublesKeepBits = once((): boolean => {
  // A signalling NaN, a NaN with a payload (such as R's missing value), and a negative NaN.
  const bits = BigUint64Array.of(0x7ff0000000000001n, 0x7ff80000000007a2n, 0xfff8000000000123n);
  const from = new Float64Array(bits.buffer);
  const to = new Float64Array(from.length);
  for (let i = 0; i < from.length; i++) to[i] = from[i];
  const found = new BigUint64Array(to.buffer);
  return bits.every((value, i) => value === found[i]);
});

function words({ buffer, byteOffset, length }: Uint8Array, width: 2 | 4): Uint16Array | Uint32Array {
  return width === 2
    ? new Uint16Array(buffer, byteOffset, length / 2)
    : new Uint32Array(buffer, byteOffset, length / 4);
}

function copyDoubles(
  from: Float64Array,
  to: Float64Array,
  source: number,
  fromStride: number,
  place: number,
  toStride: number,
  rows: number,
  columns: number,
): void {
  const wide = LINE_BYTES / 8;
  for (let column = 0; column < columns; column += wide) {
    const columnEnd = Math.min(columns, column + wide);
    for (let row = 0; row < rows; row += ROWS) {
      const rowEnd = Math.min(rows, row + ROWS);
      for (let c = column; c < columnEnd; c++) {
        let read = source + row * fromStride + c;
        let write = place + c * toStride + row;
        let r = row;
        for (; r + 4 <= rowEnd; r += 4, read += 4 * fromStride, write += 4) {
          to[write] = from[read];
          to[write + 1] = from[read + fromStride];
          to[write + 2] = from[read + 2 * fromStride];
          to[write + 3] = from[read + 3 * fromStride];
        }
        for (; r < rowEnd; r++, read += fromStride, write++) to[write] = from[read];
      }
    }
  }
}

type Words = Uint8Array | Uint16Array | Uint32Array;

function copyWords(
  from: Words,
  to: Words,
  per: number,
  source: number,
  fromStride: number,
  place: number,
  toStride: number,
  rows: number,
  columns: number,
): void {
  const wide = Math.max(1, Math.floor(LINE_BYTES / (per * from.BYTES_PER_ELEMENT)));
  for (let column = 0; column < columns; column += wide) {
    const columnEnd = Math.min(columns, column + wide);
    for (let row = 0; row < rows; row += ROWS) {
      const rowEnd = Math.min(rows, row + ROWS);
      for (let c = column; c < columnEnd; c++) {
        let read = (source + row * fromStride + c) * per;
        let write = (place + c * toStride + row) * per;
        const step = fromStride * per;
        if (per === 2) {
          for (let r = row; r < rowEnd; r++, read += step, write += 2) {
            to[write] = from[read];
            to[write + 1] = from[read + 1];
          }
        } else if (per === 1) {
          for (let r = row; r < rowEnd; r++, read += step, write++) to[write] = from[read];
        } else {
          for (let r = row; r < rowEnd; r++, read += step, write += per) {
            for (let k = 0; k < per; k++) to[write + k] = from[read + k];
          }
        }
      }
    }
  }
}
