/** A column of a row group, which lies across several batches, and its pages. */

import type { Column, PrimitiveColumn, VariableColumn } from "../../arrow/column.js";
import { type BitRun, countSet } from "../../kernels/parquet/bit-runs.js";
import { MOST_PAGE_VALUES } from "../../kernels/parquet/parquet-kernels.js";
import { InvalidInputError } from "../../model/errors.js";
import type { ParquetColumn } from "./parquet-column.js";

/** The values [from, to) of a column. */
export interface Slice<C extends Column = Column> {
  readonly column: C;
  readonly from: number;
  readonly to: number;
  /** Which row of its batch the column begins with, for messages. */
  readonly origin?: number;
}

/** Most bytes of text in a page, unless one value alone has more. */
const PAGE_TEXT_BYTES = 2 ** 20;

/** Slices that follow each other, cut into pages of `MOST_PAGE_VALUES` rows. */
export function* pagesOf<C extends Column>(slices: readonly Slice<C>[]): Generator<Slice<C>[]> {
  let page: Slice<C>[] = [];
  let room = MOST_PAGE_VALUES;
  for (const { column, from, to } of slices) {
    for (let at = from; at < to; ) {
      const end = Math.min(to, at + room);
      page.push({ column, from: at, to: end });
      room -= end - at;
      at = end;
      if (room > 0) continue;
      yield page;
      page = [];
      room = MOST_PAGE_VALUES;
    }
  }
  if (page.length > 0) yield page;
}

/** The same, with fewer rows where they have more text than a page should. */
export function* textPagesOf(slices: readonly Slice<VariableColumn>[]): Generator<Slice<VariableColumn>[]> {
  let page: Slice<VariableColumn>[] = [];
  let rows = MOST_PAGE_VALUES;
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
      rows = MOST_PAGE_VALUES;
      bytes = PAGE_TEXT_BYTES;
    }
  }
  if (page.length > 0) yield page;
}

/** The greatest position of [from, to] whose offset is at most `limit`. */
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

export function rowsOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Number of missing values. */
export function nullsOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, slice) => sum + nullsIn(slice), 0);
}

export function nullsIn({ column, from, to }: Slice): number {
  if (column.layout === "null") return to - from;
  const bitmap = validityOf(column);
  return bitmap === null ? 0 : to - from - countSet(bitmap, from, to);
}

/** The validity bitmap; null where every value is there. */
export function validityOf(column: Column): Uint8Array | null {
  return column.validity === null || column.validity.nullCount === 0 ? null : column.validity.bitmap;
}

/** Which values of a page are there. */
export function validityRuns(page: readonly Slice[]): BitRun[] {
  return page.map(({ column, from, to }) => ({ bits: validityOf(column), offset: from, length: to - from }));
}

/** @throws {InvalidInputError} where a slice has not the values of the column as one typed array. */
export function primitiveSlices(column: ParquetColumn, slices: readonly Slice[]): Slice<PrimitiveColumn>[] {
  return slices.map((slice) => {
    const { column: given } = slice;
    if (given.layout !== "primitive") throw mismatch(column, given);
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

/** @throws {InvalidInputError} where a slice is not one of texts. */
export function variableSlices(column: ParquetColumn, slices: readonly Slice[]): Slice<VariableColumn>[] {
  return slices.map((slice) => {
    const { column: given } = slice;
    if (given.layout !== "variable") throw mismatch(column, given);
    return { ...slice, column: given };
  });
}

export function mismatch(column: ParquetColumn, given: Column): InvalidInputError {
  return new InvalidInputError(`the column ${column.name} is given as ${given.layout} ${given.type.id}`);
}
