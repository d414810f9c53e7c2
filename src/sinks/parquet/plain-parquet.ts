/** Writes Parquet files of flat columns and of stored tables, without an Arrow library. */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import { type ArrowField, field, typeText } from "../../arrow/type.js";
import { embeddedSchema } from "../../ipc/write/schema.js";
import { FILE_SCHEMA, TABLE_SCHEMA } from "../../parquet/thrift.js";
import type { Codec } from "../../parquet/write/compression.js";
import { type FileDescription, fileOf } from "../../parquet/write/file.js";
import { writtenField } from "../../parquet/write/parquet-column.js";
import {
  type BatchSlice,
  type EncodedRowGroup,
  encoderOf,
  parquetColumns,
  type RowGroupEncoder,
  rowGroupEncoder,
  rowGroupsOf,
} from "../../parquet/write/row-group.js";
import { encodedRowGroups } from "../../tables/encoded-row-groups.js";
import type { StoredTable } from "../../tables/stored-table.js";
import type { SinkOptions } from "../stream.js";

/**
 * Describes the file of a table of `fields`: the parts of its footer that its row groups do not determine.
 * @param metadata metadata of the Arrow schema.
 * @throws {UnsupportedError} where `encodes(fields)` is false.
 */
export function describeFile(
  fields: readonly ArrowField[],
  metadata: ReadonlyMap<string, string>,
  compression: Codec,
): FileDescription {
  return { columns: parquetColumns(fields), compression, keyValues: schemaKeyValues(fields, metadata) };
}

/**
 * Writes `batches` as a file, row group by row group, in workers if there are enough row groups.
 * @param signal stops the workers.
 */
export async function* plainParquet(
  description: FileDescription,
  batches: AsyncIterable<ColumnBatch>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { columns, compression } = description;
  let encoder: Promise<RowGroupEncoder> | undefined;
  const inline = async (slices: readonly BatchSlice[]) => {
    encoder ??= encoderOf(columns, compression);
    return (await encoder).encode(slices);
  };
  const groups = rowGroupsOf(columns, batches);
  yield* fileOf(description, encodedRowGroups(groups, { plan: { columns, compression }, inline, signal }));
}

export interface StoredParquetOptions extends SinkOptions {
  readonly compression: Codec;
}

/**
 * Writes `table` as the bytes of a file.
 * @throws {UnsupportedError} where `encodes(table.fields)` is false.
 */
export function storedParquet(table: StoredTable, options: StoredParquetOptions): AsyncGenerator<Uint8Array> {
  const description = describeFile(table.fields, table.schemaMetadata, options.compression);
  return fileOf(description, rowGroups(table, options));
}

async function* rowGroups(table: StoredTable, options: StoredParquetOptions): AsyncGenerator<EncodedRowGroup> {
  const { compression, signal, onProgress } = options;
  const report = (done: number) => onProgress?.({ element: table.name, done, total: table.rows, unit: "rows" });
  let done = 0;
  report(0);
  for await (const part of table.parts({ kind: "row-groups", compression }, { signal })) {
    if (part.kind !== "row-groups") throw new TypeError("row groups were asked for");
    for (const group of part.groups) {
      yield group;
      done += group.rows;
      report(done);
    }
  }
}

/** Writes one column of values, such as the categories of a dictionary, as the bytes of a file. */
export async function* columnParquet(values: Column, compression: Codec): AsyncGenerator<Uint8Array> {
  const fields = [field("value", values.type)];
  const description = describeFile(fields, new Map(), compression);
  const encoder = await rowGroupEncoder(fields, compression);
  yield* fileOf(description, groupOf(values));

  async function* groupOf(column: Column) {
    if (column.length > 0) yield await encoder.encode([{ columns: [column], from: 0, to: column.length }]);
  }
}

/** Returns the metadata of a file with the written schema, and with the table's own schema if it differs. */
export function schemaKeyValues(
  fields: readonly ArrowField[],
  metadata: ReadonlyMap<string, string>,
): readonly (readonly [key: string, value: string])[] {
  const written = fields.map(writtenField);
  const changed = written.some(({ type }, i) => typeText(type) !== typeText(fields[i].type));
  return [
    [FILE_SCHEMA, base64(embeddedSchema(written, metadata))],
    ...(changed ? [[TABLE_SCHEMA, base64(embeddedSchema(fields, new Map()))] as const] : []),
    ...metadata,
  ];
}

export function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
