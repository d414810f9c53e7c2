/** Writes data frames as groups with a child per column, and a child that contains the row names. */

import type { Column } from "annarrow/core/arrow";
import { decodeDictionary, decodeTextValues, encodeJsonValue, encodeStoredTexts } from "annarrow/core/arrow";
import type { GroupWriter } from "annarrow/core/containers";
import { runWithLocation, UnsupportedElementError } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import { describeUnnamedRows, findFrameIndex, indexSource, readTableBatches } from "annarrow/core/tables";
import type { WriterContext } from "annarrow/core/writers";
import {
  type ColumnSink,
  closeSinks,
  createTextsAttribute,
  type TableColumnSink,
  TEXT,
  writeBatch,
} from "annarrow/core/writers";
import { createTextAttribute } from "annarrow/format";
import type { DistinctNames } from "../distinct-names.js";
import { toHdf5Text } from "./context.js";
import { isLogicalType, openVector } from "./vector.js";

/** Child of a data frame that contains the row names. */
const INDEX = "_index";

/** Callbacks and options for writing a data frame. */
export interface FrameUse {
  /** Name of the index column, if the caller specifies it. */
  readonly index?: string;
  /** Makes the row names unique within their axis. */
  readonly distinct?: DistinctNames;
  /** Called with each batch of row names. */
  readonly onNames?: (names: readonly string[]) => Promise<void>;
  /** Called with the values to be written in each batch of a column. */
  readonly onColumn?: (name: string, column: Column) => void;
  /** Returns the sink of a column that is written elsewhere; null for other columns. */
  readonly elsewhere?: (name: string) => Promise<ColumnSink | null>;
}

/**
 * Writes a table as a dataframe, in an existing group.
 * @returns the number of rows.
 */
export async function writeFrame(
  group: GroupWriter,
  table: ColumnTable,
  use: FrameUse,
  cx: WriterContext,
): Promise<number> {
  const { fields, name: element, rows: total } = table;
  const index = findFrameIndex(table, use.index);
  // Records have no row names, so none of their columns contains names.
  const unnamed = table.metadata?.kind === "rec-array" ? null : describeUnnamedRows(table, index);
  if (unnamed !== null) cx.warn(`${element}: ${unnamed}`);
  const source = indexSource(index, fields, element);
  const places = fields.flatMap((_, i) => (i === index.field ? [] : [i]));
  const names = await group.array(INDEX, { type: TEXT, shape: [total] });
  const columns: TableColumnSink[] = [];
  const listed: number[] = [];
  for (const place of places) {
    const field = fields[place];
    const location = { element, column: place, table: element };
    const sink = await runWithLocation(location, async () => {
      checkName(
        field.name,
        listed.map((one) => fields[one].name),
      );
      const elsewhere = await use.elsewhere?.(field.name);
      if (elsewhere) return elsewhere;
      listed.push(place);
      return openVector(
        { cx, parent: group, name: field.name, element: `${element}/${field.name}`, rows: total },
        field,
      );
    });
    columns.push({ index: place, sink, location });
  }
  let rows = 0;
  for await (const batch of readTableBatches(table, cx)) {
    const found = namesOf(source.column(batch, rows));
    const own = use.distinct?.add(found) ?? found;
    if (own.length > 0) await names.write(toHdf5Text(encodeStoredTexts(own), element, cx), own.length);
    await use.onNames?.(own);
    for (const place of places) use.onColumn?.(fields[place].name, batch.columns[place]);
    await writeBatch(columns, batch);
    rows += batch.length;
  }
  await names.close();
  await closeSinks(columns);
  group.attribute(INDEX, createTextAttribute(INDEX));
  const order = listed.map((place) => fields[place].name);
  if (order.length > 0) group.attribute("colnames", createTextsAttribute(order));
  const logicals = listed.filter((place) => isLogicalType(fields[place])).map((place) => fields[place].name);
  if (logicals.length > 0) group.attribute("logicals", createTextsAttribute(logicals));
  return rows;
}

/** Returns row names as strings. */
function namesOf(column: Column): readonly string[] {
  if (column.layout === "dictionary") return namesOf(decodeDictionary(column));
  if (column.layout === "variable") return decodeTextValues(column).map((text) => text ?? "NA");
  return Array.from({ length: column.length }, (_, i) => encodeJsonValue(column, i));
}

/**
 * @throws {UnsupportedElementError} for a name that is not allowed for a group's child, or that has another meaning.
 */
export function checkName(name: string, others: readonly string[] = []): void {
  const shown = JSON.stringify(name);
  if (/^\.{0,2}$|[/\0]/.test(name)) throw new UnsupportedElementError(`the name ${shown}: a name without / is needed`);
  if (name === INDEX)
    throw new UnsupportedElementError(`a column called ${shown}, which is reserved for the index: rename it`);
  if (others.includes(name)) throw new UnsupportedElementError(`two columns are called ${shown}`);
}
