/** Data frames: groups with a child for each column, and the names of the rows. */

import type { Column } from "../../arrow/column.js";
import { jsonOf } from "../../arrow/json.js";
import { storedTexts, textValues } from "../../arrow/text.js";
import { decodedDictionary } from "../../arrow/written-values.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { located, RefusedError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { frameIndex, indexSource, unnamedRows } from "../../tables/frame-index.js";
import { rowsOf } from "../../tables/rows.js";
import { TEXT, textAttribute, textsAttribute } from "../attributes.js";
import type { DistinctNames } from "../distinct-names.js";
import { type H5SeuratWriterContext, textForHdf5 } from "./context.js";
import { isLogicalType, openVector, type VectorSink } from "./vector.js";

/** The child of a frame that holds the names of its rows. */
const INDEX = "_index";

/** What is made of a frame beside its group. */
export interface FrameUse {
  /** The column that is the index, where the caller names one. */
  readonly index?: string;
  /** Makes the names of the rows those of an axis, which are there once. */
  readonly distinct?: DistinctNames;
  /** Takes the names of the rows, batch by batch. */
  readonly onNames?: (names: readonly string[]) => Promise<void>;
  /** Takes a column, batch by batch, with its values as they are written. */
  readonly onColumn?: (name: string, column: Column) => void;
  /** A column that is written elsewhere: its sink. */
  readonly elsewhere?: (name: string) => Promise<VectorSink | null>;
}

/**
 * Writes a table as a frame, in a group that exists already.
 * @returns the number of rows.
 */
export async function writeFrame(
  group: GroupWriter,
  table: ColumnTable,
  use: FrameUse,
  cx: H5SeuratWriterContext,
): Promise<number> {
  const { fields, name: element, rows: total } = table;
  const index = frameIndex(table, use.index);
  // Records have no names, and no column of theirs is meant as such.
  const unnamed = table.metadata?.kind === "rec-array" ? null : unnamedRows(table, index);
  if (unnamed !== null) cx.warn(`${element}: ${unnamed}`);
  const source = indexSource(index, fields, element);
  const places = fields.flatMap((_, i) => (i === index.field ? [] : [i]));
  const names = await group.array(INDEX, { type: TEXT, shape: [total] });
  const columns: { readonly place: number; readonly sink: VectorSink }[] = [];
  const listed: number[] = [];
  for (const place of places) {
    const field = fields[place];
    const sink = await located({ element, column: place, table: element }, async () => {
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
    columns.push({ place, sink });
  }
  let rows = 0;
  for await (const batch of rowsOf(table, cx)) {
    const found = namesOf(source.column(batch, rows));
    const own = use.distinct?.add(found) ?? found;
    if (own.length > 0) await names.write(textForHdf5(storedTexts(own), element, cx), own.length);
    await use.onNames?.(own);
    for (const { place, sink } of columns) {
      const column = batch.columns[place];
      use.onColumn?.(fields[place].name, column);
      await located({ element, column: place, table: element }, () => sink.write(column));
    }
    rows += batch.length;
  }
  await names.close();
  for (const { sink } of columns) await sink.close();
  group.attribute(INDEX, textAttribute(INDEX));
  const order = listed.map((place) => fields[place].name);
  if (order.length > 0) group.attribute("colnames", textsAttribute(order));
  const logicals = listed.filter((place) => isLogicalType(fields[place])).map((place) => fields[place].name);
  if (logicals.length > 0) group.attribute("logicals", textsAttribute(logicals));
  return rows;
}

/** The names of rows as texts. */
function namesOf(column: Column): readonly string[] {
  if (column.layout === "dictionary") return namesOf(decodedDictionary(column));
  if (column.layout === "variable") return textValues(column).map((text) => text ?? "NA");
  return Array.from({ length: column.length }, (_, i) => jsonOf(column, i));
}

/** @throws {RefusedError} for a name that no child of a group can have, or that means something else. */
export function checkName(name: string, others: readonly string[] = []): void {
  const shown = JSON.stringify(name);
  if (/^\.{0,2}$|[/\0]/.test(name)) throw new RefusedError(`the name ${shown}: a name without / is needed`);
  if (name === INDEX) throw new RefusedError(`a column called ${shown}, which is reserved for the index: rename it`);
  if (others.includes(name)) throw new RefusedError(`two columns are called ${shown}`);
}
