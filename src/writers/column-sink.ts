/** The column sink, which the writers of all formats implement, and the loops that pass batches to sinks. */

import type { Column, ColumnBatch } from "../arrow/column.js";
import { type Location, runWithLocation } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { type RowsContext, readTableBatches } from "../tables/rows.js";

/**
 * Receives one column's values in batches, and encodes them in the format's stored form. `Values` is a different type
 * if a writer sorts or converts the columns first.
 */
export interface ColumnSink<Result = void, Values = Column> {
  /** Encodes the next values. */
  write(values: Values): Promise<void>;
  /** Ends the column. @returns the result that the caller has to store, such as the vector for an R object. */
  close(): Promise<Result>;
}

/** The sink for one of a table's columns. */
export interface TableColumnSink<Result = void> {
  /** Position of the column in the batches. */
  readonly index: number;
  readonly sink: ColumnSink<Result>;
  /** Location of errors of the sink. */
  readonly location: Location;
}

/** Writes a batch to the sinks of its columns. */
export async function writeBatch(sinks: readonly TableColumnSink<unknown>[], { columns }: ColumnBatch): Promise<void> {
  for (const { index, sink, location } of sinks) await runWithLocation(location, () => sink.write(columns[index]));
}

/** Ends all columns. @returns the results, in the order of the sinks. */
export async function closeSinks<Result>(sinks: readonly TableColumnSink<Result>[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const { sink, location } of sinks) results.push(await runWithLocation(location, () => sink.close()));
  return results;
}

/** Writes a table's first column, usually its only one, and ends the sink. */
export async function writeFirstColumn<Result>(
  sink: ColumnSink<Result>,
  table: ColumnTable,
  cx: RowsContext,
): Promise<{ readonly rows: number; readonly result: Result }> {
  let rows = 0;
  for await (const { columns, length } of readTableBatches(table, cx)) {
    await sink.write(columns[0]);
    rows += length;
  }
  return { rows, result: await sink.close() };
}

/** Writes consecutive parts of a column, and ends the sink. */
export async function writeColumnParts<Result>(sink: ColumnSink<Result>, parts: readonly Column[]): Promise<Result> {
  for (const part of parts) await sink.write(part);
  return await sink.close();
}
