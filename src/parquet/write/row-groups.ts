/** Batches of any size as row groups of one size. */

import { type Column, type ColumnBatch, columnBytes } from "../../arrow/column.js";
import type { ParquetColumn } from "./parquet-column.js";
import type { Segment } from "./row-group.js";

export const ROW_GROUP_ROWS = 2 ** 20;
/** Row groups of wide tables, or of long texts, have fewer rows. */
export const ROW_GROUP_BYTES = 2 ** 26;

/**
 * The rows of `batches` in groups of 2^20, or of 64 MiB of values; none where there are no rows. Where groups end
 * depends on the values alone, not on the batches. A group has one dictionary in each dictionary column.
 */
export async function* rowGroupsOf(
  columns: readonly ParquetColumn[],
  batches: AsyncIterable<ColumnBatch>,
): AsyncGenerator<Segment[]> {
  const rowBytes = columns.reduce((sum, column) => sum + fixedBytes(column), 0);
  let segments: Segment[] = [];
  let rows = ROW_GROUP_ROWS;
  let bytes = ROW_GROUP_BYTES;
  for await (const batch of batches) {
    const given = shared(batch.columns, segments.at(-1)?.columns);
    if (given === null && segments.length > 0) {
      yield segments;
      segments = [];
      rows = ROW_GROUP_ROWS;
      bytes = ROW_GROUP_BYTES;
    }
    const part = given ?? batch.columns;
    for (let from = 0; from < batch.length; ) {
      let to = rowsWithin(part, from, Math.min(batch.length, from + rows), rowBytes, bytes);
      if (to === from && segments.length === 0) to++;
      if (to > from) segments.push({ columns: part, from, to });
      rows -= to - from;
      bytes -= sizeOf(part, from, to, rowBytes);
      from = to;
      if (from === batch.length && rows > 0) break;
      yield segments;
      segments = [];
      rows = ROW_GROUP_ROWS;
      bytes = ROW_GROUP_BYTES;
    }
  }
  if (segments.length > 0) yield segments;
}

/** Bytes of one value, without those of texts. */
function fixedBytes({ values, coded }: ParquetColumn): number {
  if (coded) return 4;
  switch (values.kind) {
    case "words":
      return values.bytes;
    case "fixed":
      return values.width;
    case "bytes":
      return 4;
    case "bits":
    case "null":
      return 1;
    default:
      return values satisfies never;
  }
}

function sizeOf(columns: readonly Column[], from: number, to: number, rowBytes: number): number {
  const texts = columns.reduce(
    (sum, column) => (column.layout === "variable" ? sum + column.offsets[to] - column.offsets[from] : sum),
    0,
  );
  return texts + rowBytes * (to - from);
}

/** The greatest `end` up to `to` for which the rows [from, end) take at most `bytes`. */
function rowsWithin(columns: readonly Column[], from: number, to: number, rowBytes: number, bytes: number): number {
  if (sizeOf(columns, from, to, rowBytes) <= bytes) return to;
  let low = from;
  let high = to;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sizeOf(columns, from, middle, rowBytes) <= bytes) low = middle;
    else high = middle;
  }
  return low;
}

/** `columns` with the dictionaries of `before`; null where they are other ones. */
function shared(columns: readonly Column[], before: readonly Column[] | undefined): readonly Column[] | null {
  if (before === undefined) return columns;
  const out: Column[] = [];
  for (const [i, column] of columns.entries()) {
    const other = before[i];
    if (column.layout !== "dictionary" || other.layout !== "dictionary" || column.dictionary === other.dictionary) {
      out.push(column);
    } else if (sameValues(column.dictionary, other.dictionary)) out.push({ ...column, dictionary: other.dictionary });
    else return null;
  }
  return out;
}

function sameValues(a: Column, b: Column): boolean {
  if (a.length !== b.length || a.validity !== null || b.validity !== null || columnBytes(a) !== columnBytes(b)) {
    return false;
  }
  if (a.layout === "primitive" && b.layout === "primitive") return sameBytes(a.values, b.values);
  return (
    a.layout === "variable" && b.layout === "variable" && sameBytes(a.offsets, b.offsets) && sameBytes(a.bytes, b.bytes)
  );
}

function sameBytes(a: ArrayBufferView, b: ArrayBufferView): boolean {
  if (a.byteLength !== b.byteLength) return false;
  const [left, right] = [a, b].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );
  return left.every((byte, i) => byte === right[i]);
}
