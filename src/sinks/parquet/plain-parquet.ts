/**
 * Parquet files of plain columns: required, flat, of numbers, booleans, dates or times. Coordinate tables are such
 * tables, and the largest ones; this encoder takes a fraction of the time that parquet-wasm takes.
 */

import type { Schema } from "apache-arrow";
import type { DataTable } from "../../dataset.js";
import { locateError, UnsupportedError } from "../../errors.js";
import { compressor } from "../../kernels/compress.js";
import { joined } from "../ipc-writer.js";
import type { SinkOptions } from "../stream.js";
import { arrowSchemaText } from "./arrow-schema.js";
import { ChunkEncoder, type ColumnChunk } from "./column-chunk.js";
import { type Codec, footer, MAGIC, rowGroupEntry } from "./footer.js";
import { type PlainColumn, plainColumn } from "./plain-column.js";
import { rowGroupsOf } from "./row-groups.js";

export interface PlainParquetOptions extends SinkOptions {
  /** `zstd` by default. */
  readonly compression?: Codec;
}

/** Whether `plainParquet` takes tables of `schema`: no column that may have nulls, or is nested, text or of halves. */
export function encodesPlainly(schema: Schema): boolean {
  return schema.fields.length > 0 && schema.fields.every((field) => plainColumn(field) !== null);
}

/** Whether `plainParquet` knows the compression. */
export function compressesPlainly(compression: string): compression is Codec {
  return compression === "zstd" || compression === "gzip" || compression === "none";
}

/**
 * `table` as a Parquet file, written column chunk by column chunk.
 * @throws {UnsupportedError} where `encodesPlainly` says no.
 * @throws {InvalidInputError} where a batch has nulls, or other columns than the schema says.
 */
export async function* plainParquet(table: DataTable, options: PlainParquetOptions = {}): AsyncGenerator<Uint8Array> {
  try {
    yield* file(table, options);
  } catch (error) {
    throw locateError(error, { element: table.name });
  }
}

async function* file(table: DataTable, options: PlainParquetOptions): AsyncGenerator<Uint8Array> {
  const { compression = "zstd" } = options;
  const columns = plainColumns(table.schema);
  const encoder = new ChunkEncoder(compression === "none" ? null : await compressor(compression));
  const rowGroups: Uint8Array[] = [];
  let rows = 0;
  let offset = MAGIC.length;
  // Goes out with the first bytes that follow it.
  let magic = [MAGIC];
  for await (const group of rowGroupsOf(table, columns, options)) {
    const chunks: ColumnChunk[] = [];
    for (const [i, column] of columns.entries()) {
      const { parts, chunk } = await encoder.encode(column, group.values(i, column), group.rows);
      yield joined([...magic, ...parts]);
      magic = [];
      chunks.push(chunk);
    }
    // As bytes at once: a wide table has a great many chunks.
    rowGroups.push(rowGroupEntry(chunks, group.rows, offset, compression));
    rows += group.rows;
    for (const { storedBytes } of chunks) offset += storedBytes;
  }
  const keyValues: [string, string][] = [["ARROW:schema", arrowSchemaText(table.schema)], ...table.schema.metadata];
  yield joined([...magic, footer({ columns, rows, rowGroups, keyValues })]);
}

function plainColumns(schema: Schema): PlainColumn[] {
  return schema.fields.map((field) => {
    const column = plainColumn(field);
    if (column !== null) return column;
    throw new UnsupportedError(`the column ${field.name} (${field.type}) is not a plain one`);
  });
}
