/**
 * Cuts a column of a row group, which can span several batches, into pages, and copies the values of each page without
 * gaps.
 */

import type { Column, PrimitiveColumn, VariableColumn } from "../../arrow/column.js";
import { appendBits, type BitRange, countSet } from "../../kernels/parquet/bit-ranges.js";
import type { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import { MAX_PAGE_VALUES } from "../../kernels/parquet/parquet-kernels.js";
import { isBitSet } from "../../kernels/values/bitmap.js";
import { InvalidInputError } from "../../model/errors.js";
import { type NumberArray, viewAsBytes } from "../../model/stored.js";
import type { ParquetColumn } from "./parquet-column.js";

/** The values [from, to) of a column. */
export interface ColumnRange<C extends Column = Column> {
  readonly column: C;
  readonly from: number;
  readonly to: number;
  /** The row of the batch at which the column begins, for messages. */
  readonly origin?: number;
}

/** Maximum number of text bytes in a page. Only a page with a single longer value exceeds it. */
const PAGE_TEXT_BYTES = 2 ** 20;

/** Splits consecutive slices into pages of `MAX_PAGE_VALUES` rows. */
export function* splitIntoPages<C extends Column>(slices: readonly ColumnRange<C>[]): Generator<ColumnRange<C>[]> {
  let page: ColumnRange<C>[] = [];
  let room = MAX_PAGE_VALUES;
  for (const { column, from, to } of slices) {
    for (let at = from; at < to; ) {
      const end = Math.min(to, at + room);
      page.push({ column, from: at, to: end });
      room -= end - at;
      at = end;
      if (room > 0) continue;
      yield page;
      page = [];
      room = MAX_PAGE_VALUES;
    }
  }
  if (page.length > 0) yield page;
}

/** Cuts slices of text into pages of at most `MAX_PAGE_VALUES` rows and `PAGE_TEXT_BYTES` bytes. */
export function* splitIntoTextPages(
  slices: readonly ColumnRange<VariableColumn>[],
): Generator<ColumnRange<VariableColumn>[]> {
  let page: ColumnRange<VariableColumn>[] = [];
  let rows = MAX_PAGE_VALUES;
  let bytes = PAGE_TEXT_BYTES;
  for (const { column, from, to } of slices) {
    const { offsets } = column;
    for (let at = from; at < to; ) {
      let end = lastWithin(offsets, at, Math.min(to, at + rows), offsets[at] + bytes);
      if (end === at && page.length === 0) end++;
      if (end > at) page.push({ column, from: at, to: end });
      rows -= end - at;
      bytes -= offsets[end] - offsets[at];
      if (end === to && rows > 0) break;
      at = end;
      yield page;
      page = [];
      rows = MAX_PAGE_VALUES;
      bytes = PAGE_TEXT_BYTES;
    }
  }
  if (page.length > 0) yield page;
}

/** Returns the greatest position in [from, to] whose offset is at most `limit`. */
function lastWithin(offsets: Int32Array, from: number, to: number, limit: number): number {
  if (offsets[to] <= limit) return to;
  let low = from;
  let high = to;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (offsets[middle] <= limit) low = middle;
    else high = middle;
  }
  return low;
}

export function countRowsOfRanges(slices: readonly ColumnRange[]): number {
  return slices.reduce((sum, { from, to }) => sum + to - from, 0);
}

export function countNulls(slices: readonly ColumnRange[]): number {
  return slices.reduce((sum, slice) => sum + countRangeNulls(slice), 0);
}

function countRangeNulls({ column, from, to }: ColumnRange): number {
  if (column.layout === "null") return to - from;
  const bitmap = getValidityBitmap(column);
  return bitmap === null ? 0 : to - from - countSet(bitmap, from, to);
}

/** Returns the validity bitmap; null if no value is missing. */
export function getValidityBitmap(column: Column): Uint8Array | null {
  return column.validity === null || column.validity.nullCount === 0 ? null : column.validity.bitmap;
}

/** Returns the validity of a page's values as runs of bits. */
export function listValidityRuns(page: readonly ColumnRange[]): BitRange[] {
  return page.map(({ column, from, to }) => ({ bits: getValidityBitmap(column), offset: from, length: to - from }));
}

/**
 * Checks that each slice stores the column's values in one typed array.
 * @throws {InvalidInputError} if a slice has another layout.
 */
export function checkPrimitiveRanges(
  column: ParquetColumn,
  slices: readonly ColumnRange[],
): ColumnRange<PrimitiveColumn>[] {
  return slices.map((slice) => {
    const { column: given } = slice;
    if (given.layout !== "primitive") throw createLayoutError(column, given);
    const { values } = column;
    const bytes = values.kind === "words" ? values.bytes : values.kind === "fixed" ? values.width : 1;
    const needed = values.kind === "bits" ? (slice.to + 7) >> 3 : slice.to * bytes;
    if (values.kind === "words" && given.values.BYTES_PER_ELEMENT !== bytes) {
      throw new InvalidInputError(
        `the column ${column.name} should have values of ${bytes} bytes, not of ${given.values.BYTES_PER_ELEMENT}`,
      );
    }
    if (given.values.byteLength < needed) {
      const found = `its values take ${given.values.byteLength} bytes`;
      throw new InvalidInputError(
        `the column ${column.name} has rows up to ${slice.to}, that is ${needed} bytes, ${found}`,
      );
    }
    return { ...slice, column: given };
  });
}

/**
 * Checks that slices contain texts.
 * @throws {InvalidInputError} if a slice contains other values.
 */
export function checkVariableRanges(
  column: ParquetColumn,
  slices: readonly ColumnRange[],
): ColumnRange<VariableColumn>[] {
  return slices.map((slice) => {
    const { column: given } = slice;
    if (given.layout !== "variable") throw createLayoutError(column, given);
    return { ...slice, column: given };
  });
}

export function createLayoutError(column: ParquetColumn, given: Column): InvalidInputError {
  return new InvalidInputError(`the column ${column.name} is given as ${given.layout} ${given.type.id}`);
}

/** Gathers the values of a page. Its memory is reused for every page. */
export class WordGatherer {
  #words = new Int32Array(0);

  /**
   * Gathers the values that are not missing as 32-bit words. Integers of 8 and 16 bits are widened, and 64-bit values
   * become two words, the low one first.
   * @param present number of values that are not missing.
   * @returns a view of the original values if possible, otherwise a view of memory that the next page overwrites.
   */
  gather(page: readonly ColumnRange<PrimitiveColumn>[], bytes: 1 | 2 | 4 | 8, present: number): Int32Array {
    const [first] = page;
    const perValue = bytes === 8 ? 2 : 1;
    if (page.length === 1 && bytes >= 4 && present === countRowsOfRanges(page)) {
      return words32(first.column.values).subarray(perValue * first.from, perValue * first.to);
    }
    if (this.#words.length < perValue * present) this.#words = new Int32Array(perValue * present);
    const out = this.#words.subarray(0, perValue * present);
    let at = 0;
    for (const { column, from, to } of page) {
      const words = bytes >= 4 ? words32(column.values) : column.values;
      const bitmap = getValidityBitmap(column);
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

/** Returns arrays of small integers unchanged, and other arrays as 32-bit words. */
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

/** Appends the booleans that are not missing, with one bit each. @returns the number of true values. */
export function appendBooleans(page: readonly ColumnRange<PrimitiveColumn>[], out: PageBuffer): number {
  return appendBits(presentBits(page), out);
}

function* presentBits(page: readonly ColumnRange<PrimitiveColumn>[]): Generator<BitRange> {
  for (const { column, from, to } of page) {
    const bits = viewAsBytes(column.values);
    for (const [start, end] of presentRuns(getValidityBitmap(column), from, to))
      yield { bits, offset: start, length: end - start };
  }
}

/** Appends values of `width` bytes that are not missing. */
export function appendFixed(page: readonly ColumnRange<PrimitiveColumn>[], width: number, out: PageBuffer): void {
  for (const { column, from, to } of page) {
    const bytes = viewAsBytes(column.values);
    for (const [start, end] of presentRuns(getValidityBitmap(column), from, to)) {
      out.append(bytes.subarray(width * start, width * end));
    }
  }
}

/** Writes the lengths of the texts that are not missing. @returns the sum of the lengths. */
export function writeTextLengths(page: readonly ColumnRange<VariableColumn>[], lengths: Int32Array): number {
  let at = 0;
  let total = 0;
  for (const { column, from, to } of page) {
    const { offsets } = column;
    const bitmap = getValidityBitmap(column);
    for (let i = from; i < to; i++) {
      if (bitmap !== null && !isBitSet(bitmap, i)) continue;
      const length = offsets[i + 1] - offsets[i];
      lengths[at++] = length;
      total += length;
    }
  }
  return total;
}

/** Appends the bytes of the texts that are not missing. Bytes of missing texts are left out. */
export function appendTexts(page: readonly ColumnRange<VariableColumn>[], total: number, out: PageBuffer): void {
  const all = page.reduce((sum, { column, from, to }) => sum + column.offsets[to] - column.offsets[from], 0);
  for (const { column, from, to } of page) {
    const { offsets, bytes } = column;
    const runs: Iterable<readonly [number, number]> =
      all === total ? [[from, to]] : presentRuns(getValidityBitmap(column), from, to);
    for (const [start, end] of runs) out.append(bytes.subarray(offsets[start], offsets[end]));
  }
}

/** Yields runs [start, end) of values that are not missing. */
function* presentRuns(bitmap: Uint8Array | null, from: number, to: number): Generator<readonly [number, number]> {
  if (bitmap === null) {
    yield [from, to];
    return;
  }
  for (let i = from; i < to; ) {
    while (i < to && !isBitSet(bitmap, i)) i++;
    const start = i;
    while (i < to && isBitSet(bitmap, i)) i++;
    if (i > start) yield [start, i];
  }
}
