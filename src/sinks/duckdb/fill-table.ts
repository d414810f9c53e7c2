/** Creates a DuckDB table from a table's rows, independently of how the engine accepts batches. */

import type { RecordBatch, Schema } from "apache-arrow";
import type { DataTable } from "../../model/dataset.js";
import {
  InvalidInputError,
  isAnnarrowError,
  isCancellation,
  locateError,
  UnsupportedError,
} from "../../model/errors.js";
import { type SinkOptions, streamBatches } from "../stream.js";
import { findSubstitution } from "../substitute.js";
import { getDuckDBMessage } from "./engine.js";
import { checkForDuckDB, findDuckDBSubstitute } from "./held-types.js";

/** A table that is being filled. */
interface FilledTable {
  append(batch: RecordBatch): Promise<void>;
  /** Appends the remaining rows. If there were no rows at all, creates the table. */
  end(): Promise<void>;
  /** Removes the table, if it was created. Does not throw. */
  drop(): Promise<void>;
}

/**
 * Creates a table with the rows of `table`. If this fails half-way, the table is dropped.
 * @param create begins a table with this schema. The categories are in the dictionaries of the first batch, which is
 * null for a table without batches.
 * @returns the number of rows.
 * @throws {UnsupportedError} if DuckDB cannot hold a type or a value.
 */
export async function fillTable(
  table: DataTable,
  options: SinkOptions,
  create: (schema: Schema, first: RecordBatch | null) => Promise<FilledTable>,
): Promise<number> {
  checkForDuckDB(table.schema, table.name);
  const changed = findSubstitution(table.schema, findDuckDBSubstitute);
  const schema = changed?.schema ?? table.schema;
  let filled: FilledTable | null = null;
  let rows = 0;
  try {
    for await (const read of streamBatches(table, options)) {
      const batch = changed ? changed.batch(read) : read;
      filled ??= await create(schema, batch);
      await filled.append(batch);
      rows += batch.numRows;
    }
    filled ??= await create(schema, null);
    await filled.end();
    return rows;
  } catch (error) {
    await filled?.drop();
    if (isAnnarrowError(error) || isCancellation(error)) throw locateError(error, { element: table.name });
    throw loadError(error, table.name);
  }
}

/** Beginning of DuckDB's file system and memory errors, which are not caused by a table. */
const OUTSIDE = /^(?:IO|Out of Memory|FATAL|INTERNAL|Permission) Error/i;

/**
 * Converts an error that occurred while a table was loaded.
 * @returns {UnsupportedError}, or {InvalidInputError} if the disk is full or memory runs out.
 */
function loadError(error: unknown, element: string): Error {
  const message = getDuckDBMessage(error);
  if (!OUTSIDE.test(message)) return new UnsupportedError(`DuckDB does not take it: ${message}`, { element });
  return new InvalidInputError(`cannot be written: ${message}`, { element, cause: error, code: "outside" });
}
