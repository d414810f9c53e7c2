/** The values of a page that are there, without gaps. */

import type { PrimitiveColumn, VariableColumn } from "../../arrow/column.js";
import { appendBits, type BitRun } from "../../kernels/parquet/bit-runs.js";
import type { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import { bitAt } from "../../kernels/values/bitmap.js";
import { bytesOf, type NumberArray } from "../../model/stored.js";
import { rowsOf, type Slice, validityOf } from "./slice.js";

/** Copies into memory that is used for one page after another. */
export class WordGatherer {
  #words = new Int32Array(0);

  /**
   * The values as 32-bit words, 8 and 16-bit integers widened, 64-bit values as two words, the low one first.
   * @param present how many of them are there.
   * @returns a view of the values themselves where that is possible, else of memory that the next page overwrites.
   */
  gather(page: readonly Slice<PrimitiveColumn>[], bytes: 1 | 2 | 4 | 8, present: number): Int32Array {
    const [first] = page;
    const perValue = bytes === 8 ? 2 : 1;
    if (page.length === 1 && bytes >= 4 && present === rowsOf(page)) {
      return words32(first.column.values).subarray(perValue * first.from, perValue * first.to);
    }
    if (this.#words.length < perValue * present) this.#words = new Int32Array(perValue * present);
    const out = this.#words.subarray(0, perValue * present);
    let at = 0;
    for (const { column, from, to } of page) {
      const words = bytes >= 4 ? words32(column.values) : column.values;
      const bitmap = validityOf(column);
      if (bitmap !== null)
        at = bytes === 8 ? pairs(words, from, to, bitmap, out, at) : singles(words, from, to, bitmap, out, at);
      else {
        out.set(narrow(words).subarray(perValue * from, perValue * to), at);
        at += perValue * (to - from);
      }
    }
    return out;
  }
}

type Words = Int32Array | Int8Array | Uint8Array | Int16Array | Uint16Array;

function words32(values: NumberArray): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.byteLength >> 2);
}

/** Only arrays of small integers come here as they are. */
function narrow(values: NumberArray): Words {
  if (
    values instanceof Int8Array ||
    values instanceof Uint8Array ||
    values instanceof Int16Array ||
    values instanceof Uint16Array
  ) {
    return values;
  }
  return words32(values);
}

function singles(words: NumberArray, from: number, to: number, bitmap: Uint8Array, out: Int32Array, start: number) {
  const values = narrow(words);
  let at = start;
  for (let i = from; i < to; i++) {
    if (((bitmap[i >> 3] >> (i & 7)) & 1) !== 0) out[at++] = values[i];
  }
  return at;
}

function pairs(words: NumberArray, from: number, to: number, bitmap: Uint8Array, out: Int32Array, start: number) {
  const values = narrow(words);
  let at = start;
  for (let i = from; i < to; i++) {
    if (((bitmap[i >> 3] >> (i & 7)) & 1) === 0) continue;
    out[at++] = values[2 * i];
    out[at++] = values[2 * i + 1];
  }
  return at;
}

/** Appends booleans that are there, one bit each; returns how many are true. */
export function appendBooleans(page: readonly Slice<PrimitiveColumn>[], out: PageBuffer): number {
  return appendBits(presentBits(page), out);
}

function* presentBits(page: readonly Slice<PrimitiveColumn>[]): Generator<BitRun> {
  for (const { column, from, to } of page) {
    const bits = bytesOf(column.values);
    for (const [start, end] of presentRuns(validityOf(column), from, to))
      yield { bits, offset: start, length: end - start };
  }
}

/** Appends values of `width` bytes that are there. */
export function appendFixed(page: readonly Slice<PrimitiveColumn>[], width: number, out: PageBuffer): void {
  for (const { column, from, to } of page) {
    const bytes = bytesOf(column.values);
    for (const [start, end] of presentRuns(validityOf(column), from, to)) {
      out.append(bytes.subarray(width * start, width * end));
    }
  }
}

/** Writes the lengths of the texts that are there; returns how many bytes they have together. */
export function textLengths(page: readonly Slice<VariableColumn>[], lengths: Int32Array): number {
  let at = 0;
  let total = 0;
  for (const { column, from, to } of page) {
    const { offsets } = column;
    const bitmap = validityOf(column);
    for (let i = from; i < to; i++) {
      if (bitmap !== null && !bitAt(bitmap, i)) continue;
      const length = offsets[i + 1] - offsets[i];
      lengths[at++] = length;
      total += length;
    }
  }
  return total;
}

/** Appends the bytes of the texts that are there. A missing text may have bytes too, which are left out. */
export function appendTexts(page: readonly Slice<VariableColumn>[], total: number, out: PageBuffer): void {
  const all = page.reduce((sum, { column, from, to }) => sum + column.offsets[to] - column.offsets[from], 0);
  for (const { column, from, to } of page) {
    const { offsets, bytes } = column;
    const runs: Iterable<readonly [number, number]> =
      all === total ? [[from, to]] : presentRuns(validityOf(column), from, to);
    for (const [start, end] of runs) out.append(bytes.subarray(offsets[start], offsets[end]));
  }
}

/** The runs of values that are there, as [start, end). */
function* presentRuns(bitmap: Uint8Array | null, from: number, to: number): Generator<readonly [number, number]> {
  if (bitmap === null) {
    yield [from, to];
    return;
  }
  for (let i = from; i < to; ) {
    while (i < to && !bitAt(bitmap, i)) i++;
    const start = i;
    while (i < to && bitAt(bitmap, i)) i++;
    if (i > start) yield [start, i];
  }
}
