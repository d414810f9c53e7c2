/** Writes Parquet files of flat columns and of stored tables, without an Arrow library. */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import { type ArrowField, createField, describeArrowType } from "../../arrow/type.js";
import { encodeEmbeddedSchema } from "../../ipc/write/schema.js";
import { FILE_SCHEMA, TABLE_SCHEMA } from "../../parquet/thrift.js";
import type { Codec } from "../../parquet/write/compression.js";
import { encodeParquetFile, type FileDescription } from "../../parquet/write/file.js";
import { toWrittenField } from "../../parquet/write/parquet-column.js";
import {
  type BatchRange,
  createColumnsEncoder,
  createParquetColumns,
  createRowGroupEncoder,
  type EncodedRowGroup,
  type RowGroupEncoder,
  splitIntoRowGroups,
} from "../../parquet/write/row-group.js";
import { encodeRowGroups } from "../../tables/encoded-row-groups.js";
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
  return { columns: createParquetColumns(fields), compression, keyValues: createSchemaKeyValues(fields, metadata) };
}

/**
 * Writes `batches` as a file, row group by row group, in workers if there are enough row groups.
 * @param signal stops the workers.
 */
export async function* encodeFlatParquet(
  description: FileDescription,
  batches: AsyncIterable<ColumnBatch>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { columns, compression } = description;
  let encoder: Promise<RowGroupEncoder> | undefined;
  const inline = async (slices: readonly BatchRange[]) => {
    encoder ??= createColumnsEncoder(columns, compression);
    return (await encoder).encode(slices);
  };
  const groups = splitIntoRowGroups(columns, batches);
  yield* encodeParquetFile(description, encodeRowGroups(groups, { plan: { columns, compression }, inline, signal }));
}

export interface StoredParquetOptions extends SinkOptions {
  readonly compression: Codec;
  /** A column of numbers that is summed as it is encoded. */
  readonly summed?: {
    readonly column: number;
    /** Called with the number of rows of each row group, and the sum of the column in them. */
    add(rows: number, sum: number): void;
  };
}

/**
 * Writes `table` as the bytes of a file.
 * @throws {UnsupportedError} where `encodes(table.fields)` is false.
 */
export function encodeStoredParquet(table: StoredTable, options: StoredParquetOptions): AsyncGenerator<Uint8Array> {
  const description = describeFile(table.fields, table.schemaMetadata, options.compression);
  return encodeParquetFile(description, rowGroups(table, options));
}

async function* rowGroups(table: StoredTable, options: StoredParquetOptions): AsyncGenerator<EncodedRowGroup> {
  const { compression, signal, onProgress, summed } = options;
  const report = (done: number) => onProgress?.({ element: table.name, done, total: table.rows, unit: "rows" });
  let done = 0;
  report(0);
  const request = { kind: "row-groups", compression, summed: summed?.column } as const;
  for await (const part of table.parts(request, { signal })) {
    if (part.kind !== "row-groups") throw new TypeError("row groups were asked for");
    for (const group of part.groups) {
      yield group;
      summed?.add(group.rows, group.sum ?? 0);
      done += group.rows;
      report(done);
    }
  }
}

/** Writes one column of values, such as the categories of a dictionary, as the bytes of a file. */
export async function* encodeColumnParquet(values: Column, compression: Codec): AsyncGenerator<Uint8Array> {
  const fields = [createField("value", values.type)];
  const description = describeFile(fields, new Map(), compression);
  const encoder = await createRowGroupEncoder(fields, compression);
  yield* encodeParquetFile(description, groupOf(values));

  async function* groupOf(column: Column) {
    if (column.length > 0) yield await encoder.encode([{ columns: [column], from: 0, to: column.length }]);
  }
}

/** Returns the metadata of a file with the written schema, and with the table's own schema if it differs. */
export function createSchemaKeyValues(
  fields: readonly ArrowField[],
  metadata: ReadonlyMap<string, string>,
): readonly (readonly [key: string, value: string])[] {
  const written = fields.map(toWrittenField);
  const changed = written.some(({ type }, i) => describeArrowType(type) !== describeArrowType(fields[i].type));
  return [
    [FILE_SCHEMA, encodeBase64(encodeEmbeddedSchema(written, metadata))],
    ...(changed ? [[TABLE_SCHEMA, encodeBase64(encodeEmbeddedSchema(fields, new Map()))] as const] : []),
    ...metadata,
  ];
}

export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
