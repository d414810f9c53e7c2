/** The entries of a gene over all cells, as they are read. */

import { Field, type RecordBatch, Schema } from "apache-arrow";
import { positionColumn } from "../api/select.js";
import type { Dataset } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { projectSchema, recordBatch } from "../tables/record-batch.js";
import type { SchemaAndBatches, StreamReading } from "./rows.js";

/**
 * The entries of a matrix at a position of its genes: `row` is the cell, `value` its value; of a dense matrix those that
 * are not zero.
 * @throws {NotFoundError} for a matrix that is not there.
 * @throws {InvalidInputError} for an element that is no matrix, and for a position that it does not have.
 */
export async function geneEntries(
  dataset: Dataset,
  { matrix, position }: { readonly matrix: string; readonly position: number },
  { signal, reuse }: StreamReading,
): Promise<SchemaAndBatches> {
  const table = dataset.table(matrix);
  if (!table.layouts.includes("coordinate")) {
    throw new InvalidInputError("is no matrix, and has no values of genes", { element: matrix });
  }
  const genes = await positionColumn(dataset, "var");
  const cells = genes === "col" ? "row" : "col";
  const entries = await table.layout("coordinate");
  const columns = [cells, "value"];
  const own = projectSchema(entries.schema, columns, matrix);
  const [cell, value] = own.fields;
  const schema = new Schema([new Field("row", cell.type, false), new Field("value", value.type, value.nullable)]);
  const batches = entries.batches({ columns, where: { [genes]: [position] }, signal, reuse });
  return { schema, batches: renamed(schema, batches) };
}

async function* renamed(schema: Schema, batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) yield recordBatch(schema, batch.numRows, [...batch.data.children]);
}
