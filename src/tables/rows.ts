/** Reads a table's rows and checks them against the table's schema and number of rows. */

import type { ColumnBatch } from "../arrow/column.js";
import { describeArrowType } from "../arrow/type.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "./column-table.js";

/**
 * Maximum number of rows in a batch without columns. Otherwise, a table without columns would be a single batch with as
 * many rows as the file declares, and a writer may create a name for each row.
 */
const ROWS_WITHOUT_COLUMNS = 2 ** 17;

export interface RowsContext {
  readonly signal: AbortSignal | undefined;
  readonly progress: (element: string, done: number, total: number | null) => void;
}

/**
 * Yields the batches of `table`, at least one.
 * @param reuse whether a batch may be overwritten once the next one is requested.
 * @throws {InvalidInputError} if a batch differs from the schema, or if the total number of rows differs from the
 * table's.
 */
export async function* readTableBatches(
  table: ColumnTable,
  cx: RowsContext,
  reuse = false,
): AsyncGenerator<ColumnBatch> {
  const { name, fields } = table;
  const types = fields.map((field) => describeArrowType(field.type));
  let rows = 0;
  cx.progress(name, 0, table.rows);
  for await (const batch of table.batches({ reuse, signal: cx.signal })) {
    cx.signal?.throwIfAborted();
    if (batch.columns.length !== fields.length) {
      throw new InvalidInputError(`a batch of ${batch.columns.length} columns, the schema has ${fields.length}`, {
        element: name,
      });
    }
    for (const [i, column] of batch.columns.entries()) {
      const field = JSON.stringify(fields[i].name);
      if (describeArrowType(column.type) !== types[i]) {
        throw new InvalidInputError(
          `column ${field} of the batch at row ${rows} is ${describeArrowType(column.type)}, the schema says ${types[i]}`,
          { element: name },
        );
      }
      if (column.length !== batch.length) {
        throw new InvalidInputError(
          `column ${field} of the batch at row ${rows} has ${column.length} values, the batch ${batch.length} rows`,
          { element: name },
        );
      }
    }
    const end = rows + batch.length;
    if (table.rows !== null && end > table.rows) {
      rows = end;
      break;
    }
    for (const piece of piecesOf(batch)) {
      cx.signal?.throwIfAborted();
      yield piece;
      rows += piece.length;
      cx.progress(name, rows, table.rows);
    }
  }
  if (table.rows !== null && rows !== table.rows) {
    throw new InvalidInputError(`${rows} rows, the table says ${table.rows}`, { element: name });
  }
}

/** Yields the batch. A batch without columns is split. */
function* piecesOf(batch: ColumnBatch): Generator<ColumnBatch> {
  const { columns, length } = batch;
  if (columns.length > 0 || length <= ROWS_WITHOUT_COLUMNS) return yield batch;
  for (let at = 0; at < length; at += ROWS_WITHOUT_COLUMNS) {
    yield { columns, length: Math.min(ROWS_WITHOUT_COLUMNS, length - at) };
  }
}
