/**
 * Joins a statement's result rows into larger batches. DuckDB returns 2,048 rows at a time, but encoding, sending and
 * decoding a batch costs as much as thousands of rows.
 */

import { DataType, type RecordBatch, type Schema } from "apache-arrow";
import { toRecordBatch } from "../../arrow/apache/apache.js";
import { toArrowType, toColumns } from "../../arrow/apache/apache-columns.js";
import { joinColumns } from "../../arrow/join.js";
import type { ArrowType } from "../../arrow/type.js";

const ROWS = 2 ** 16;
const BYTES = 2 ** 22;

/**
 * Joins consecutive batches of `schema`. Batches that contain nested columns, dates, or times with zones remain
 * unchanged.
 */
export async function* mergeSmallBatches(
  schema: Schema,
  batches: AsyncIterable<RecordBatch>,
): AsyncGenerator<RecordBatch> {
  const types = joinableTypes(schema);
  if (types === null) return yield* batches;
  let waiting: RecordBatch[] = [];
  let rows = 0;
  let bytes = 0;
  for await (const batch of batches) {
    waiting.push(batch);
    rows += batch.numRows;
    bytes += batch.data.byteLength;
    if (rows < ROWS && bytes < BYTES) continue;
    yield joined(schema, waiting, types);
    waiting = [];
    rows = 0;
    bytes = 0;
  }
  if (waiting.length > 0) yield joined(schema, waiting, types);
}

/** The types of the columns; null if any column cannot be joined. */
function joinableTypes({ fields }: Schema): readonly ArrowType[] | null {
  const types = fields.flatMap(({ type }) => (DataType.isDictionary(type) ? [] : (toArrowType(type) ?? [])));
  return types.length === fields.length && types.length > 0 ? types : null;
}

function joined(schema: Schema, batches: readonly RecordBatch[], types: readonly ArrowType[]): RecordBatch {
  if (batches.length === 1) return batches[0];
  const parts = batches.map((batch) => toColumns(batch, types));
  const columns = types.map((_, i) => joinColumns(parts.map((part) => part[i])));
  const rows = batches.reduce((sum, { numRows }) => sum + numRows, 0);
  return toRecordBatch(schema, columns, rows);
}
