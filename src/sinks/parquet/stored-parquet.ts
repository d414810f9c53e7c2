/** A stored table as a Parquet file: row groups encoded where they were decoded, in workers; no Arrow object between. */

import type { Column } from "../../arrow/column.js";
import { field } from "../../arrow/type.js";
import type { Codec } from "../../parquet/write/codec.js";
import { fileOf } from "../../parquet/write/file.js";
import { type EncodedRowGroup, rowGroupEncoder } from "../../parquet/write/row-group.js";
import type { StoredTable } from "../../tables/stored-table.js";
import type { SinkOptions } from "../stream.js";
import { describeFile } from "./plain-parquet.js";

export interface StoredParquetOptions extends SinkOptions {
  readonly compression: Codec;
}

/**
 * `table` as the bytes of a file.
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
  for await (const part of table.parts({ kind: "row-groups", compression }, signal ? { signal } : {})) {
    if (part.kind !== "row-groups") throw new TypeError("row groups were asked for");
    for (const group of part.groups) {
      yield group;
      done += group.rows;
      report(done);
    }
  }
}

/** One column of values, such as the categories of a dictionary, as the bytes of a file. */
export async function* columnParquet(values: Column, compression: Codec): AsyncGenerator<Uint8Array> {
  const fields = [field("value", values.type)];
  const description = describeFile(fields, new Map(), compression);
  const encoder = await rowGroupEncoder(fields, compression);
  yield* fileOf(description, groupOf(values));

  async function* groupOf(column: Column) {
    if (column.length > 0) yield await encoder.encode([{ columns: [column], from: 0, to: column.length }]);
  }
}
