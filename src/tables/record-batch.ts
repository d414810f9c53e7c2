import { type Data, makeData, RecordBatch, type Schema, Struct } from "apache-arrow";

/** The columns of `length` rows as a batch of `schema`. */
export function recordBatch(schema: Schema, length: number, children: Data[]): RecordBatch {
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }));
}
