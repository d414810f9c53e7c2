/** Record batches whose columns go by their places: names may stand in a table more than once. */

import { type Data, type RecordBatch, Schema } from "apache-arrow";
import { batchOf } from "../arrow/apache/apache.js";

/** The columns of `length` rows as a batch of `schema`. */
export function recordBatch(schema: Schema, length: number, children: Data[]): RecordBatch {
  return batchOf(schema, length, children);
}

/** Rows [start, end) of `batch`; the method `slice` of a batch makes its schema anew, by names. */
export function sliceBatch(batch: RecordBatch, start: number, end: number): RecordBatch {
  return batchOf(batch.schema, end - start, batch.data.slice(start, end - start).children);
}

/**
 * The schema of `batch`. Where names repeat, `batch.schema` of a batch that apache-arrow has made (its readers, `slice`)
 * has other types than the columns; the type of the data has theirs.
 */
export function schemaOf(batch: RecordBatch): Schema {
  const { schema, data } = batch;
  return repeatedName(schema.fields.map(({ name }) => name)) === null
    ? schema
    : new Schema(data.type.children, schema.metadata);
}

/** The first name that stands more than once among `names`; null where there is none. */
export function repeatedName(names: readonly string[]): string | null {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size) ?? null;
}
