/**
 * Cuts batches of any size into row groups of one size, and encodes the rows of each group as bytes. The results are
 * serializable, so any thread can use them.
 */

import { type Column, type ColumnBatch, haveSameBuffers } from "../../arrow/column.js";
import type { EncodedTableChunk } from "../../arrow/encoder.js";
import type { EncodedColumnChunk } from "./chunk-writer.js";
import { withChunkEncoder } from "./column-chunk.js";
import type { Codec } from "./compression.js";
import type { ParquetColumn } from "./parquet-column.js";

/** The rows [from, to) of columns that have equal lengths, one column per field. */
export interface BatchRange {
  readonly columns: readonly Column[];
  readonly from: number;
  readonly to: number;
  /** The row in the batch at which the columns begin, if they were sliced from it; 0 by default. */
  readonly origin?: number;
}

/** An encoded row group, which consists of its concatenated chunks. */
export interface EncodedRowGroup extends EncodedTableChunk {
  /** The footer entries for the chunks, in the order of the columns. */
  readonly chunks: readonly EncodedColumnChunk[];
  /** The sum of the values of a column, if it was requested. */
  readonly sum?: number;
}

/** Whether the rows are encoded as a row group. */
export function isRowGroup(encoded: EncodedTableChunk): encoded is EncodedRowGroup {
  return "chunks" in encoded;
}

/** Encodes the row groups of one table, one after another. */
export class RowGroupEncoder {
  readonly #columns: readonly ParquetColumn[];
  readonly #compression: Codec;

  constructor(columns: readonly ParquetColumn[], compression: Codec) {
    this.#columns = columns;
    this.#compression = compression;
  }

  /**
   * Encodes the rows of `slices`, which are consecutive, as one row group. All slices of a dictionary column share one
   * dictionary.
   * @throws {InvalidInputError} if a column does not have its field's type, or has nulls that the field does not allow.
   */
  encode(slices: readonly BatchRange[]): Promise<EncodedRowGroup> {
    const rows = slices.reduce((sum, { from, to }) => sum + to - from, 0);
    return withChunkEncoder(this.#compression, async (encoder) => {
      const parts: Uint8Array[] = [];
      const chunks: EncodedColumnChunk[] = [];
      for (const [i, column] of this.#columns.entries()) {
        const values = slices.map(({ columns, from, to, origin = 0 }) => ({ column: columns[i], from, to, origin }));
        const encoded = await encoder.encode(column, values, rows);
        parts.push(...encoded.parts);
        chunks.push(encoded.chunk);
      }
      return { bytes: joined(parts), rows, chunks };
    });
  }
}

/**
 * Creates an encoder for tables with these `columns`. If a compression is not available, this throws before anything is
 * written.
 */
export async function createRowGroupEncoder(
  columns: readonly ParquetColumn[],
  compression: Codec,
): Promise<RowGroupEncoder> {
  await withChunkEncoder(compression, async () => undefined);
  return new RowGroupEncoder(columns, compression);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export const ROW_GROUP_ROWS = 2 ** 20;
/**
 * Maximum size of a row group in bytes. A group in a wide table, or with long texts, has fewer than `ROW_GROUP_ROWS`
 * rows.
 */
export const ROW_GROUP_BYTES = 2 ** 26;

/**
 * Yields the rows of `batches` in groups of 2^20 rows or 64 MiB of values; yields no group if there are no rows. The
 * boundaries between groups depend only on the values, not on the batches. Each dictionary column has one dictionary
 * per group.
 */
export async function* splitIntoRowGroups(
  columns: readonly ParquetColumn[],
  batches: AsyncIterable<ColumnBatch>,
): AsyncGenerator<BatchRange[]> {
  const rowBytes = columns.reduce((sum, column) => sum + fixedBytes(column), 0);
  let slices: BatchRange[] = [];
  let rows = ROW_GROUP_ROWS;
  let bytes = ROW_GROUP_BYTES;
  for await (const batch of batches) {
    const given = shared(batch.columns, slices.at(-1)?.columns);
    if (given === null && slices.length > 0) {
      yield slices;
      slices = [];
      rows = ROW_GROUP_ROWS;
      bytes = ROW_GROUP_BYTES;
    }
    const part = given ?? batch.columns;
    for (let from = 0; from < batch.length; ) {
      let to = lastWithin(from, Math.min(batch.length, from + rows), bytes, (end) => sizeOf(part, from, end, rowBytes));
      if (to === from && slices.length === 0) to++;
      if (to > from) slices.push({ columns: part, from, to });
      rows -= to - from;
      bytes -= sizeOf(part, from, to, rowBytes);
      from = to;
      if (from === batch.length && rows > 0) break;
      yield slices;
      slices = [];
      rows = ROW_GROUP_ROWS;
      bytes = ROW_GROUP_BYTES;
    }
  }
  if (slices.length > 0) yield slices;
}

/** Size of one value in bytes, without its text. */
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

/** Returns the greatest `end` up to `to` for which `sizeUntil(end)` is at most `bytes`; `from` if there is none. */
function lastWithin(from: number, to: number, bytes: number, sizeUntil: (end: number) => number): number {
  if (sizeUntil(to) <= bytes) return to;
  let low = from;
  let high = to;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sizeUntil(middle) <= bytes) low = middle;
    else high = middle;
  }
  return low;
}

/** Replaces the dictionaries of `columns` by those of `before`; null if the dictionaries differ. */
function shared(columns: readonly Column[], before: readonly Column[] | undefined): readonly Column[] | null {
  if (before === undefined) return columns;
  const out: Column[] = [];
  for (const [i, column] of columns.entries()) {
    const other = before[i];
    if (column.layout !== "dictionary" || other.layout !== "dictionary" || column.dictionary === other.dictionary) {
      out.push(column);
    } else if (haveSameBuffers(column.dictionary, other.dictionary))
      out.push({ ...column, dictionary: other.dictionary });
    else return null;
  }
  return out;
}
