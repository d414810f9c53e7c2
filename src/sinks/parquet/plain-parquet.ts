/** Writes flat columns in memory as Parquet files, without an Arrow library. */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import { encodeFile } from "../../arrow/encoder.js";
import { createField } from "../../arrow/type.js";
import type { Codec } from "../../parquet/write/compression.js";
import { ParquetFile } from "../../parquet/write/file.js";
import { describeFile, type FileDescription } from "../../parquet/write/file-description.js";
import {
  type BatchRange,
  createRowGroupEncoder,
  type EncodedRowGroup,
  type RowGroupEncoder,
  splitIntoRowGroups,
} from "../../parquet/write/row-group.js";
import { encodeRowGroups } from "../../tables/encoded-row-groups.js";

/**
 * Writes `batches` as a file, row group by row group. If there are enough row groups, workers encode them.
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
    encoder ??= createRowGroupEncoder(columns, compression);
    return (await encoder).encode(slices);
  };
  const groups = splitIntoRowGroups(columns, batches);
  const encoded = encodeRowGroups(groups, { plan: { columns, compression }, inline, signal });
  yield* encodeFile(() => new ParquetFile(description), encoded);
}

/** Writes one column of values, such as the categories of a dictionary, as the bytes of a file with one row group. */
export async function* encodeColumnParquet(values: Column, compression: Codec): AsyncGenerator<Uint8Array> {
  const description = describeFile([createField("value", values.type)], new Map(), compression);
  const encoder = await createRowGroupEncoder(description.columns, compression);
  yield* encodeFile(() => new ParquetFile(description), groupOf(values));

  async function* groupOf(column: Column): AsyncGenerator<EncodedRowGroup> {
    if (column.length > 0) yield await encoder.encode([{ columns: [column], from: 0, to: column.length }]);
  }
}
