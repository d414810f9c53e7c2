/** Parquet files of flat columns, without any Arrow library. */

import type { ColumnBatch } from "../../arrow/column.js";
import type { ArrowField } from "../../arrow/type.js";
import { schemaKeyValues } from "../../parquet/write/arrow-schema.js";
import type { Codec } from "../../parquet/write/codec.js";
import { type FileDescription, fileOf } from "../../parquet/write/file.js";
import { encoderOf, parquetColumns, type RowGroupEncoder, type Segment } from "../../parquet/write/row-group.js";
import { rowGroupsOf } from "../../parquet/write/row-groups.js";
import { encodedRowGroups } from "../../tables/encoded-row-groups.js";

/**
 * What the file of a table of `fields` says of it, which is all that its row groups do not.
 * @param metadata of the Arrow schema.
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
 * The file of `batches`, row group by row group, which workers encode where there are enough of them.
 * @param signal stops what they still do.
 */
export async function* plainParquet(
  description: FileDescription,
  batches: AsyncIterable<ColumnBatch>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { columns, compression } = description;
  let encoder: Promise<RowGroupEncoder> | undefined;
  const inline = async (segments: readonly Segment[]) => {
    encoder ??= encoderOf(columns, compression);
    return (await encoder).encode(segments);
  };
  const groups = rowGroupsOf(columns, batches);
  yield* fileOf(description, encodedRowGroups(groups, { plan: { columns, compression }, inline, signal }));
}
