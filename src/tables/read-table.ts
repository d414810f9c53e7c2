import { Table } from "apache-arrow";
import type { BatchOptions, DataTable } from "./dataset.js";
import { projectSchema } from "./projection.js";

/** All batches of `table` as one Arrow table. */
export async function readBatches(table: DataTable, options: BatchOptions = {}): Promise<Table> {
  const batches = [];
  for await (const batch of table.batches(options)) batches.push(batch);
  const { columns } = options;
  return new Table(columns === undefined ? table.schema : projectSchema(table.schema, columns, table.name), batches);
}
