/** Rows to the bytes of a row group: plain data in, plain data out, on any thread. */

import type { Column } from "../../arrow/column.js";
import type { ArrowField } from "../../arrow/type.js";
import { UnsupportedError } from "../../model/errors.js";
import type { EncodedColumnChunk } from "./chunk-writer.js";
import { withChunkEncoder } from "./column-chunk.js";
import type { Codec } from "./compression.js";
import { type ParquetColumn, parquetColumn } from "./parquet-column.js";

/** The rows [from, to) of columns of equal length, one per field. */
export interface Segment {
  readonly columns: readonly Column[];
  readonly from: number;
  readonly to: number;
  /** Which row of their batch the columns begin with, where they were cut out of it; 0 by default. */
  readonly origin?: number;
}

/** A row group as it stands in the file, wherever that is; can be sent to another thread, `bytes.buffer` transferred. */
export interface EncodedRowGroup {
  /** The chunks one after the other; the only view of its buffer. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: number;
  /** What the footer says of each chunk, in the order of the columns. */
  readonly chunks: readonly EncodedColumnChunk[];
}

/** Encodes row group after row group of one table. */
export class RowGroupEncoder {
  readonly #columns: readonly ParquetColumn[];
  readonly #compression: Codec;

  constructor(columns: readonly ParquetColumn[], compression: Codec) {
    this.#columns = columns;
    this.#compression = compression;
  }

  /**
   * The rows of `segments`, which follow each other, as one row group. Dictionary columns have the same dictionary in
   * all segments.
   * @throws {InvalidInputError} where a column is not what its field says, or has nulls that the field does not allow.
   */
  encode(segments: readonly Segment[]): Promise<EncodedRowGroup> {
    const rows = segments.reduce((sum, { from, to }) => sum + to - from, 0);
    return withChunkEncoder(this.#compression, async (encoder) => {
      const parts: Uint8Array[] = [];
      const chunks: EncodedColumnChunk[] = [];
      for (const [i, column] of this.#columns.entries()) {
        const slices = segments.map(({ columns, from, to, origin = 0 }) => ({ column: columns[i], from, to, origin }));
        const encoded = await encoder.encode(column, slices, rows);
        parts.push(...encoded.parts);
        chunks.push(encoded.chunk);
      }
      return { bytes: joined(parts), rows, chunks };
    });
  }
}

/**
 * An encoder for tables of `fields`.
 * @throws {UnsupportedError} where `encodes(fields)` is false.
 */
export async function rowGroupEncoder(fields: readonly ArrowField[], compression: Codec): Promise<RowGroupEncoder> {
  return encoderOf(parquetColumns(fields), compression);
}

/** An encoder for tables of `columns`. A compression that cannot be had is an error here, before anything is written. */
export async function encoderOf(columns: readonly ParquetColumn[], compression: Codec): Promise<RowGroupEncoder> {
  await withChunkEncoder(compression, async () => undefined);
  return new RowGroupEncoder(columns, compression);
}

/** @throws {UnsupportedError} where `encodes(fields)` is false. */
export function parquetColumns(fields: readonly ArrowField[]): ParquetColumn[] {
  return fields.map((field) => {
    const column = parquetColumn(field);
    if (column !== null) return column;
    throw new UnsupportedError(`the column ${field.name} (${field.type.id}) is not a flat one`);
  });
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
