/**
 * Writes a table of columns as a 1 x 1 struct, with one field for each column. The struct's attribute `annarrow`, which
 * MATLAB ignores, contains JSON for everything that MATLAB's values do not express: the columns' names and types, the
 * table's metadata, and the field with the masks of missing values.
 */

import type { Column } from "../../arrow/column.js";
import { type ArrowField, describeArrowType } from "../../arrow/type.js";
import { isBitSet } from "../../kernels/values/bitmap.js";
import { isAnnarrowError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import { closeSinks, type TableColumnSink, writeBatch } from "../column-sink.js";
import { reportLoss } from "../context.js";
import { createMatlabAttributes, createPythonDict, encodeAsciiJson } from "./attributes.js";
import { openColumn, toMatlabField } from "./column.js";
import { openGroup, type ValueDestination, type ValueGroup } from "./context.js";
import { NO_METADATA } from "./metadata.js";
import { createNumericSink } from "./numeric.js";
import { findMissingItemColumns, RaggedColumn, type RaggedDescription } from "./ragged-column.js";
import { createFieldsAttribute, openStruct } from "./struct.js";
import { makeDistinctName, makeValidNames } from "./tree.js";

const FRAME_VERSION = 1;

/** A column, and the field that contains its values. */
interface Written extends TableColumnSink<RaggedDescription | undefined> {
  readonly field: ArrowField;
  readonly name: string;
  readonly missing: Missing;
}

/** Writes a table as a struct. @returns the number of rows. */
export async function writeFrame(place: ValueDestination, table: ColumnTable, rows: number | null): Promise<number> {
  const names = makeValidNames(table.fields.map((field) => field.name));
  const { cx } = place;
  const struct = await openGroup(place, createMatlabAttributes(place, NO_METADATA, { class: "struct" }));
  const columns: Written[] = [];
  const ragged = await findMissingItemColumns(table, cx);
  for (const [i, field] of table.fields.entries()) {
    const column = await openField(struct, field, names[i], ragged.has(i) ? "ragged" : rows);
    if (column !== null) columns.push({ ...column, index: i, location: { column: i } });
  }
  let count = 0;
  for await (const batch of readTableBatches(table, cx)) {
    for (const { index, sink, missing } of columns) {
      // A ragged column has its own masks.
      if (!(sink instanceof RaggedColumn)) missing.add(batch.columns[index]);
    }
    await writeBatch(columns, batch);
    count += batch.length;
  }
  const descriptions = await closeSinks(columns);
  const masked = columns.filter(({ missing }) => missing.any);
  const mask = masked.length === 0 ? null : makeDistinctName("missing", new Set(names));
  if (mask !== null) await writeMasks(struct, mask, masked);
  const fields = [...columns.map(({ name }) => name), ...(mask === null ? [] : [mask])];
  await describe(struct, fields, json(table, columns, descriptions, { missing: mask, rows: count }));
  return count;
}

async function openField(
  struct: ValueGroup,
  field: ArrowField,
  name: string,
  rows: number | null | "ragged",
): Promise<Omit<Written, "index" | "location"> | null> {
  const { cx, element } = struct.place;
  const own = rows === "ragged" ? field : toMatlabField(field);
  if (own !== field) cx.warn(`${element}: column ${field.name}: ${describeArrowType(field.type)} is written as single`);
  try {
    const at = struct.field(name);
    const sink = rows === "ragged" ? await RaggedColumn.open(at, field) : await openColumn(at, field, rows);
    return { field: own, name, sink, missing: new Missing() };
  } catch (error) {
    if (!isAnnarrowError(error, "UnsupportedError")) throw error;
    reportLoss(cx, `${element}/${field.name}`, {
      problem: error.problem,
      instead: "it is left out",
      remedy: "cast it, or leave it out",
    });
    return null;
  }
}

/** Writes the masks as a struct of logicals, which are true for missing values. */
async function writeMasks(struct: ValueGroup, name: string, columns: readonly Written[]): Promise<void> {
  const masks = await openStruct(
    struct.field(name),
    columns.map((column) => column.name),
    NO_METADATA,
  );
  for (const column of columns) {
    const { length } = column.missing;
    const form = { type: { kind: "bool" }, rows: length, rowShape: [], isRow: false, metadata: NO_METADATA } as const;
    const sink = createNumericSink(masks.field(column.name), form);
    for (const part of column.missing.parts) await sink.write(part, part.length);
    await sink.close();
  }
}

async function describe(struct: ValueGroup, fields: readonly string[], text: string): Promise<void> {
  const { place } = struct;
  const attribute = fields.length === 0 ? null : await createFieldsAttribute(fields, place);
  const value = {
    ...{ class: null, annarrow: text, ...createPythonDict(place.cx, fields) },
    fields: attribute ?? undefined,
  };
  struct.addAttributes(createMatlabAttributes(place, NO_METADATA, value));
}

function json(
  table: ColumnTable,
  columns: readonly Written[],
  descriptions: readonly (RaggedDescription | undefined)[],
  { missing, rows }: { readonly missing: string | null; readonly rows: number },
): string {
  const { metadata, schemaMetadata } = table;
  const described = {
    version: FRAME_VERSION,
    rows,
    fields: columns.map(({ field, name }, i) => ({ ...field, field: name, ragged: descriptions[i] })),
    missing: missing ?? undefined,
    metadata: metadata ?? undefined,
    schema: schemaMetadata.size === 0 ? undefined : Object.fromEntries(schemaMetadata),
  };
  return encodeAsciiJson(described);
}

/** Collects a column's mask, with one byte for each row. As long as no value is missing, the mask has no bytes. */
class Missing {
  #parts: Uint8Array[] = [];
  #length = 0;
  #any = false;

  get parts(): readonly Uint8Array[] {
    return this.#parts;
  }

  get length(): number {
    return this.#length;
  }

  get any(): boolean {
    return this.#any;
  }

  add(column: Column): void {
    const { length, validity } = column;
    const has = hasMask(column) && validity !== null && validity.nullCount > 0;
    if (has && !this.#any) {
      this.#any = true;
      this.#parts = this.#length === 0 ? [] : [new Uint8Array(this.#length)];
    }
    this.#length += length;
    if (!this.#any) return;
    const part = new Uint8Array(length);
    if (has) for (let i = 0; i < length; i++) part[i] = isBitSet(validity.bitmap, i) ? 0 : 1;
    this.#parts.push(part);
  }
}

/** Whether a column needs a mask. Codes mark missing values without one. */
function hasMask({ layout }: Column): boolean {
  return layout !== "dictionary" && layout !== "null";
}
