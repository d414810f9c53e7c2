/** Writes a table's columns as separate arrays, for the attributes of an axis and for globals. */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import type { ArrowField } from "../../arrow/type.js";
import type { WrittenType } from "../../arrow/written-type.js";
import type { ArrayWriter } from "../../containers/tree/container-writer.js";
import { InvalidInputError, isAnnarrowError, runWithLocation } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import { closeSinks, type TableColumnSink, writeBatch } from "../column-sink.js";
import { ColumnEncoding } from "./column-encoding.js";
import type { LoomWriterContext } from "./context.js";

/** An array written from a column, or from part of it. */
export interface AttributeArray {
  /** Name of the array in errors. */
  readonly element: string;
  readonly field: ArrowField;
  /** Position of the column in the table. */
  readonly place: number;
  readonly part: (column: Column) => Column;
  open(form: WrittenType): Promise<ArrayWriter>;
}

/**
 * Writes all arrays side by side.
 * @param size the required number of rows, and the table that determines it; null if any number is valid.
 * @returns the number of rows.
 * @throws {InvalidInputError} for a different number of rows and, unless losses are allowed, for values that Loom
 * cannot represent.
 */
export async function writeColumns(
  table: ColumnTable,
  targets: readonly AttributeArray[],
  size: { readonly rows: number; readonly by: string } | null,
  cx: LoomWriterContext,
): Promise<number> {
  if (size !== null && table.rows !== null) checkRows(table, table.rows, size);
  const planned = targets.flatMap((target) => {
    const form = formOf(target, cx);
    return form === null ? [] : [{ target, form }];
  });
  const { batches } = await surveyed(table, planned, cx);
  const sinks: TableColumnSink[] = [];
  for (const { target, form } of planned) {
    const { element, place: index, part } = target;
    const location = { element, column: index };
    const array = await runWithLocation(location, () => target.open(form.decide()));
    const write = async (column: Column) => array.write(form.values(part(column)), column.length);
    sinks.push({ index, location, sink: { write, close: () => array.close() } });
  }
  let rows = 0;
  for await (const batch of batches()) {
    rows += batch.length;
    if (size !== null && rows > size.rows) checkRows(table, rows, size);
    await writeBatch(sinks, batch);
  }
  if (size !== null) checkRows(table, rows, size);
  await closeSinks(sinks);
  return rows;
}

function checkRows({ name }: ColumnTable, rows: number, size: { readonly rows: number; readonly by: string }): void {
  if (rows === size.rows) return;
  throw new InvalidInputError(`${rows} rows, ${size.by} has ${size.rows}`, { element: name });
}

/** Returns a column's form; null if the column is omitted. */
function formOf({ field, element }: AttributeArray, cx: LoomWriterContext): ColumnEncoding | null {
  try {
    return new ColumnEncoding(field, element, cx);
  } catch (error) {
    if (!cx.lossy || !isAnnarrowError(error, "UnsupportedError")) throw error;
    cx.warn(`left out: ${element}: ${error.problem}`);
    return null;
  }
}

type Planned = { readonly target: AttributeArray; readonly form: ColumnEncoding };

/** Surveys all values in the columns that require it. Meanwhile, the batches of a stream are buffered. */
async function surveyed(table: ColumnTable, planned: readonly Planned[], cx: LoomWriterContext) {
  const curious = planned.filter(({ form }) => form.needsSurvey);
  if (curious.length === 0) return { batches: () => readTableBatches(table, cx) };
  if (!table.repeatable) {
    const held: ColumnBatch[] = [];
    for await (const batch of readTableBatches(table, cx)) held.push(batch);
    for (const { columns } of held) for (const one of curious) await look(one, columns[one.target.place]);
    return { batches: () => iterated(held) };
  }
  const places = [...new Set(curious.map(({ target }) => target.place))];
  const some = table.only?.(places);
  for await (const { columns } of readTableBatches(some ?? table, cx)) {
    for (const one of curious) {
      const { place } = one.target;
      await look(one, columns[some === undefined ? place : places.indexOf(place)]);
    }
  }
  return { batches: () => readTableBatches(table, cx) };
}

async function look({ target, form }: Planned, column: Column): Promise<void> {
  await runWithLocation({ element: target.element, column: target.place }, () => form.survey(target.part(column)));
}

async function* iterated(held: readonly ColumnBatch[]): AsyncGenerator<ColumnBatch> {
  yield* held;
}
