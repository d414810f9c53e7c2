/** Batches of many columns, and a count of what apache-arrow's reader does with them. */

import { Field, Int32, makeData, type RecordBatch, Schema } from "apache-arrow";
import { vi } from "vitest";
import { createRecordBatch } from "../../../../src/arrow/apache/apache.js";

/** A batch of one row, whose columns have their positions as values. */
export function wideBatch(columns: number): RecordBatch {
  const fields = Array.from({ length: columns }, (_, i) => new Field(`c${i}`, new Int32()));
  const values = fields.map((_, i) => makeData({ type: new Int32(), length: 1, data: Int32Array.of(i) }));
  return createRecordBatch(new Schema(fields), 1, values);
}

/**
 * Counts the schemas of more than 100 columns that apache-arrow joins by names from now on: a join compares each column
 * with all others.
 * @returns the number of them so far; the spy is restored by the test.
 */
export function wideJoins(): () => number {
  const { contexts } = vi.spyOn(Schema.prototype, "assign").mock;
  return () => contexts.filter((schema) => schema instanceof Schema && schema.fields.length > 100).length;
}
