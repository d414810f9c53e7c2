/**
 * Makes and slices record batches and schemas by the positions of columns, because names may repeat in a table. Also
 * selects columns by name, and reads all batches into one table.
 */

import { type Data, type Field, type RecordBatch, Schema, Table } from "apache-arrow";
import { createRecordBatch } from "../arrow/apache/apache.js";
import { findRepeatedName } from "../kernels/text/names.js";
import type { BatchOptions, DataTable } from "../model/dataset.js";
import { InvalidInputError, NotFoundError, UnsupportedError } from "../model/errors.js";
import { findNearestNames } from "../model/nearest.js";

export function recordBatch(schema: Schema, length: number, children: Data[]): RecordBatch {
  return createRecordBatch(schema, length, children);
}

/**
 * Returns rows [start, end) of `batch`. apache-arrow's `slice` would rebuild the schema by name, but names may repeat.
 */
export function sliceBatch(batch: RecordBatch, start: number, end: number): RecordBatch {
  return createRecordBatch(batch.schema, end - start, batch.data.slice(start, end - start).children);
}

/**
 * Returns the schema of `batch`. If names repeat, batches that apache-arrow makes (its readers, `slice`) have wrong
 * types in `batch.schema`, but the types of their data are right.
 */
export function getBatchSchema(batch: RecordBatch): Schema {
  const { schema, data } = batch;
  return findRepeatedName(schema.fields.map(({ name }) => name)) === null
    ? schema
    : new Schema(data.type.children, schema.metadata);
}

/** Splits `batch` into parts of about `bytes` bytes or less, assuming rows of similar size. */
export function* splitBatchBySize(batch: RecordBatch, bytes: number): Generator<RecordBatch> {
  const count = Math.ceil(batch.data.byteLength / Math.max(1, bytes));
  const rows = Math.max(1, Math.ceil(batch.numRows / Math.max(1, count)));
  if (rows >= batch.numRows) return yield batch;
  for (let at = 0; at < batch.numRows; at += rows) {
    yield sliceBatch(batch, at, Math.min(at + rows, batch.numRows));
  }
}

/**
 * Returns the schema of the columns `names`, in that order.
 * @throws {NotFoundError} if the table has no such column; the message lists the most similar names.
 * @throws {InvalidInputError} if a name is requested twice, or is ambiguous.
 */
export function projectSchema(schema: Schema, names: readonly string[], element: string): Schema {
  return new Schema(
    findColumnPositions(
      schema.fields.map((field) => field.name),
      names,
      element,
    ).map((at): Field => schema.fields[at]),
    schema.metadata,
  );
}

/**
 * Returns the positions of the columns `names` in `all`. A table may have many columns. For the errors, see
 * `projectSchema`.
 */
export function findColumnPositions(all: readonly string[], names: readonly string[], element: string): number[] {
  // apache-arrow writes a corrupt stream if two columns in a batch share their buffers.
  const twice = findRepeatedName(names);
  if (twice !== null) throw new InvalidInputError(`column ${JSON.stringify(twice)} is asked for twice`, { element });
  const places = new Map<string, number[]>();
  for (const [i, name] of all.entries()) {
    const known = places.get(name);
    if (known === undefined) places.set(name, [i]);
    else known.push(i);
  }
  return names.map((name) => {
    const found = places.get(name) ?? [];
    if (found.length === 1) return found[0];
    if (found.length > 1) {
      const where = found.length > 8 ? `${found.slice(0, 8).join(", ")}, …` : found.join(", ");
      throw new InvalidInputError(
        `${found.length} columns have the name ${JSON.stringify(name)} (at ${where}): read the table without choosing ` +
          "columns, and take them by their places",
        { element },
      );
    }
    const near = findNearestNames(name, [...places.keys()]);
    const hint = near.length === 0 ? "the table has none" : `did you mean ${near.join(", ")}?`;
    throw new NotFoundError(`no column ${JSON.stringify(name)}; ${hint}`, { element });
  });
}

/** Maximum size in bytes of a table in memory. A stream of batches has no limit. */
const MAX_TABLE_BYTES = 2 ** 31;

/**
 * Reads all batches of `table` into one Arrow table.
 * @throws {UnsupportedError} if the batches take more than 2 GiB.
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
  const { columns, where } = options;
  // If columns of a dense matrix are selected, its rows are shorter.
  if (where !== undefined && batches.length > 0) return new Table(batches[0].schema, batches);
  return new Table(columns === undefined ? table.schema : projectSchema(table.schema, columns, table.name), batches);
}
