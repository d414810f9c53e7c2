import { Table } from "apache-arrow";
import type { BatchOptions, DataTable } from "../model/dataset.js";
import { UnsupportedError } from "../model/errors.js";
import { projectSchema } from "./project-schema.js";

/** One table in memory takes at most this much; a stream of batches may be of any size. */
const MAX_TABLE_BYTES = 2 ** 31;

/**
 * All batches of `table` as one Arrow table.
 * @throws {UnsupportedError} where they take more than 2 GiB.
 */
export async function readTable(table: DataTable, options: BatchOptions = {}): Promise<Table> {
  const batches = [];
  let bytes = 0;
  for await (const batch of table.batches(options)) {
    bytes += batch.data.byteLength;
    if (bytes > MAX_TABLE_BYTES) {
      throw new UnsupportedError(
        `more than ${MAX_TABLE_BYTES} bytes in one table; read fewer rows or columns, or iterate over batches()`,
        { element: table.name },
      );
    }
    batches.push(batch);
  }
  const { columns } = options;
  return new Table(columns === undefined ? table.schema : projectSchema(table.schema, columns, table.name), batches);
}
