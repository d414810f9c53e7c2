/** Parquet files of flat columns, without any Arrow library. */

import type { ArrowField } from "../../arrow/type.js";
import { arrowSchemaText } from "./arrow-schema.js";
import { type FileDescription, fileOf } from "./file.js";
import type { Codec } from "./footer.js";
import { type EncodedRowGroup, encoderOf, parquetColumns } from "./row-group.js";
import { type ColumnBatch, rowGroupsOf } from "./row-groups.js";

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
  const keyValues: [string, string][] = [["ARROW:schema", arrowSchemaText(fields, metadata)], ...metadata];
  return { columns: parquetColumns(fields), compression, keyValues };
}

/** The file of `batches`, encoded here, row group by row group. */
export async function* plainParquet(
  description: FileDescription,
  batches: AsyncIterable<ColumnBatch>,
): AsyncGenerator<Uint8Array> {
  yield* fileOf(description, encoded(description, batches));
}

async function* encoded(
  { columns, compression }: FileDescription,
  batches: AsyncIterable<ColumnBatch>,
): AsyncGenerator<EncodedRowGroup> {
  const encoder = await encoderOf(columns, compression);
  for await (const segments of rowGroupsOf(columns, batches)) yield encoder.encode(segments);
}
