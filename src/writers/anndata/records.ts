/** Writes the encoding `rec-array`: one record per row. */

import type { ColumnBatch } from "../../arrow/column.js";
import { toVariableValues } from "../../arrow/text.js";
import type { ArrowField } from "../../arrow/type.js";
import { createRecordType, toWrittenForm } from "../../arrow/written-type.js";
import { recordValues } from "../../arrow/written-values.js";
import { runWithLocation } from "../../model/errors.js";
import type { TextStorage } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import { createEncodingAttributes } from "../attributes.js";
import { writeFirstColumn } from "../column-sink.js";
import { ArraySink, type ElementDestination, getElementPath, writeScalar } from "./array.js";
import type { AnnDataWriterContext } from "./context.js";

/** Writes columns as the fields of a record array. @returns the number of rows. */
export async function writeRecords(place: ElementDestination, table: ColumnTable): Promise<number> {
  const element = getElementPath(place);
  const options = { attributes: createEncodingAttributes("rec-array") };
  const { cx } = place;
  const held = await heldForWidths(table, cx);
  const fields = table.fields.map((field, i) => textForm(field, held, i, cx));
  const type = await runWithLocation({ element }, () => createRecordType(fields));
  const rows = held === null ? table.rows : held.reduce((sum, batch) => sum + batch.length, 0);
  const sink = await ArraySink.open({ ...place, rows }, { type, shape: [] }, options);
  let written = 0;
  for await (const { columns, length } of held ?? readTableBatches(table, cx)) {
    await runWithLocation({ element }, async () => sink.writeValues(recordValues(type, columns, length), length));
    written += length;
  }
  await sink.close();
  return written;
}

/** Writes a record array that is not one-dimensional. Its records are in a single column. */
export async function writeRecordColumn(place: ElementDestination, table: ColumnTable): Promise<number> {
  const { cx } = place;
  const field: ArrowField = { ...table.fields[0], metadata: table.metadata ?? {} };
  const form = toWrittenForm(field);
  if (table.metadata?.shape?.length === 0) {
    for await (const { columns } of readTableBatches(table, cx))
      await writeScalar(place, form, "rec-array", columns[0]);
    return 1;
  }
  const options = { attributes: createEncodingAttributes("rec-array") };
  const sink = await ArraySink.open({ ...place, rows: table.rows }, form, options);
  return (await writeFirstColumn(sink, table, cx)).rows;
}

/** Buffers all batches if text widths depend on them, because structured arrays in Zarr have only fixed-width text. */
async function heldForWidths(table: ColumnTable, cx: AnnDataWriterContext): Promise<ColumnBatch[] | null> {
  if (cx.container === "hdf5" || !table.fields.some(isText)) return null;
  const held: ColumnBatch[] = [];
  for await (const batch of readTableBatches(table, cx)) held.push(batch);
  return held;
}

function isText({ type, metadata }: ArrowField): boolean {
  let inner = type;
  while (inner.id === "FixedSizeList") inner = inner.item.type;
  return inner.id === "Utf8" && metadata?.storage === undefined;
}

/**
 * Returns the form of a field's text. HDF5 uses variable-length text instead of UTF-32. Zarr uses UTF-32 with the width
 * of the longest text.
 */
function textForm(
  field: ArrowField,
  held: readonly ColumnBatch[] | null,
  place: number,
  cx: AnnDataWriterContext,
): ArrowField {
  const { storage, ...metadata } = field.metadata ?? {};
  if (cx.container === "hdf5") {
    const wide =
      typeof storage === "object" && storage !== null && "encoding" in storage && storage.encoding === "utf-32";
    return wide ? { ...field, metadata } : field;
  }
  if (held === null || !isText(field)) return field;
  let longest = 1;
  for (const { columns } of held) {
    let column = columns[place];
    while (column.layout === "fixed-size-list") column = column.child;
    if (column.layout !== "variable") continue;
    const { offsets, bytes } = toVariableValues(column);
    for (let i = 0; i < column.length; i++) longest = Math.max(longest, codePoints(bytes, offsets[i], offsets[i + 1]));
  }
  const fixed: TextStorage = { form: "fixed", encoding: "utf-32", width: 4 * longest, padding: "nullpad" };
  return { ...field, metadata: { ...metadata, storage: fixed } };
}

function codePoints(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let i = start; i < end; i++) if ((bytes[i] & 0xc0) !== 0x80) count++;
  return count;
}
