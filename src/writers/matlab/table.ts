/** Selects the MATLAB value in which a table is stored, based on its metadata or, without these, on its columns. */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import type { ArrowField } from "../../arrow/type.js";
import { runWithLocation } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import { convertListsToCoordinates, findCoordinateColumns } from "../../tables/sparse/sparse-entries.js";
import { writeFirstColumn } from "../column-sink.js";
import { reportLoss } from "../context.js";
import { isArrayOrText, openColumn, toMatlabField } from "./column.js";
import type { MatlabWriterContext, ValueDestination } from "./context.js";
import { writeCharColumn } from "./elements.js";
import { writeFrame } from "./frame.js";
import { findMetadataClass, isFromMatlab, type MatlabMetadata, NO_METADATA } from "./metadata.js";
import { findMissingItemColumns } from "./ragged-column.js";
import { getMatlabMatrixShape, writeSparse } from "./sparse.js";
import { findObjectClass, writeStored } from "./stored-value.js";
import { ONLY_AS_READ, REMEDY } from "./written-objects.js";

/** Shape of a matrix if the caller knows it; otherwise null. */
export type KnownShape = readonly [number, number] | null;

/** Writes a table as a MATLAB value. @returns the number of rows. */
export function writeTable(place: ValueDestination, table: ColumnTable, known: KnownShape): Promise<number> {
  return runWithLocation({ element: place.element }, async () => {
    const { cx } = place;
    const { metadata } = table;
    if (!isFromMatlab(metadata)) return await writeForeign(place, table, known);
    const object = findObjectClass(table);
    if (object === null) {
      const rows = await writeStored(place, table, metadata);
      if (rows !== null) return rows;
      cx.warn(
        `${place.element}: its columns are not written as class ${findMetadataClass(metadata) ?? "double"}, but as they are`,
      );
    } else {
      reportLoss(cx, place.element, {
        problem: `${object} objects, ${ONLY_AS_READ}`,
        instead: "its columns are written, without the object",
        remedy: REMEDY,
      });
    }
    const { kind } = metadata;
    const isFrame = kind === "dataframe" || table.fields.length > 1;
    const own = isFrame ? { metadata: { kind: "dataframe" } } : { metadata: null };
    const fields = table.fields.map(({ metadata: _, ...field }) => field);
    const plain: ColumnTable = { ...table, ...own, fields, layouts: [], ...methodsOf(table) };
    return await writeForeign(place, plain, known);
  });
}

function methodsOf(table: ColumnTable): Pick<ColumnTable, "layout" | "batches"> {
  return { layout: (layout) => table.layout(layout), batches: (options) => table.batches(options) };
}

/** Writes a table that was not read from a MATLAB file. */
async function writeForeign(place: ValueDestination, given: ColumnTable, known: KnownShape): Promise<number> {
  const { cx } = place;
  const table = await readableForm(given);
  const { fields, metadata } = table;
  if (isSparse(table)) {
    const values = table.fields.find(({ name }) => name === "value");
    const own = values === undefined ? NO_METADATA : originOf(table, values);
    return await writeSparse(place, table, getMatlabMatrixShape(table, known), own);
  }
  const [field] = fields;
  const isScalarText = metadata?.kind === "string" && fields.length === 1 && field.type.id === "Utf8";
  // In a dataframe or records, even a single column or field has a name, which an array cannot preserve.
  const isNamed = metadata?.kind === "dataframe" || metadata?.kind === "rec-array";
  if (fields.length !== 1 || isNamed || !isArrayOrText(field.type) || (await hasMissing(table, cx))) {
    const whole = await withRows(table, cx);
    return await writeFrame(place, whole, whole.rows);
  }
  const own = originOf(table, field);
  if (isScalarText && table.rows === 1) return await writeOneText(place, table, own);
  const whole = await withRows(table, cx);
  if (toMatlabField(field) !== field) cx.warn(`${place.element}: numbers of 16 bits are written as single`);
  const sink = await openColumn(place, field, whole.rows, own);
  return (await writeFirstColumn(sink, whole, cx)).rows;
}

/**
 * Converts layouts that MATLAB does not support (separate columns for a matrix's columns, and entry lists) to another
 * layout if the table has one.
 */
async function readableForm(table: ColumnTable): Promise<ColumnTable> {
  const { metadata, layouts, fields } = table;
  const isUnstacked =
    metadata?.layout === "columns" || (metadata?.kind === "array" && metadata.layout === "coordinate");
  if (isUnstacked && layouts.includes("dense")) return await table.layout("dense");
  return fields[0]?.name === "entries" ? await convertListsToCoordinates(table) : table;
}

function isSparse({ fields, metadata }: ColumnTable): boolean {
  if (findCoordinateColumns(fields) === null || fields.length !== 3) return false;
  return metadata?.kind !== "dataframe" && metadata?.kind !== "rec-array";
}

async function writeOneText(place: ValueDestination, table: ColumnTable, own: MatlabMetadata): Promise<number> {
  const columns: Column[] = [];
  for await (const { columns: own } of readTableBatches(table, place.cx)) columns.push(own[0]);
  await writeCharColumn(place, columns, own);
  return 1;
}

/** Returns the description of the element that a value comes from: its type and metadata. */
function originOf({ metadata }: ColumnTable, { type }: ArrowField): MatlabMetadata {
  if (metadata === null) return NO_METADATA;
  const { layout: _, ...known } = metadata;
  return { origin: { type, metadata: known } };
}

/** Whether values may be missing. A table that can be read only once is not scanned. */
async function hasMissing(table: ColumnTable, cx: MatlabWriterContext): Promise<boolean> {
  const [{ nullable }] = table.fields;
  if ((await findMissingItemColumns(table, cx)).size > 0) return true;
  if (!nullable) return false;
  if (!table.repeatable) return true;
  for await (const { columns } of readTableBatches(table, cx, true)) {
    if ((columns[0].validity?.nullCount ?? 0) > 0) return true;
  }
  return false;
}

/** Counts the rows of a table, because matrices need their number in advance. */
async function withRows(table: ColumnTable, cx: MatlabWriterContext): Promise<ColumnTable> {
  const needs = table.fields.some(({ type }) => type.id === "FixedSizeList" || type.id === "FixedSizeBinary");
  if (table.rows !== null || !needs) return table;
  const held: ColumnBatch[] = [];
  let rows = 0;
  for await (const batch of readTableBatches(table, cx, table.repeatable)) {
    rows += batch.length;
    // If a table can be read only once, its batches are kept.
    if (!table.repeatable) held.push(batch);
  }
  if (table.repeatable) return { ...table, ...methodsOf(table), rows };
  return {
    ...table,
    layout: (layout) => table.layout(layout),
    rows,
    batches: async function* () {
      yield* held;
    },
  };
}
