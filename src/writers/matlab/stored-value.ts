/** Writes tables that were read from a MATLAB file as their original values. */

import type { Column } from "../../arrow/column.js";
import { type ArrowField, describeArrowType } from "../../arrow/type.js";
import { toWrittenForm } from "../../arrow/written-type.js";
import { toStoredValues } from "../../arrow/written-values.js";
import { UnsupportedElementError } from "../../model/errors.js";
import { countElements } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import { findEntriesValue } from "../../tables/sparse/sparse-entries.js";
import { createMatlabAttributes, writeEmptyValue } from "./attributes.js";
import { areComplexIntegers, findMatlabClass, findNumericClass, toSinkNumbers } from "./classes.js";
import type { ValueDestination } from "./context.js";
import { ElementWriter, isElementType, writeCharColumn } from "./elements.js";
import { hasNoMatlabClass, writeGenericTable } from "./generic.js";
import { findMetadataClass, isObject, type MatlabMetadata, NO_METADATA, parseSize, parseTextList } from "./metadata.js";
import { createNumericSink } from "./numeric.js";
import { getMatlabMatrixShape, writeSparse } from "./sparse.js";
import { openStruct, writeEmptyStruct } from "./struct.js";

/** Classes whose values are stored in the object store. */
const OBJECTS = new Set(["string", "categorical", "datetime", "duration", "calendarDuration", "table", "timetable"]);

/** Returns the class of objects among a table's values, elements or fields; null if there are none. */
export function findObjectClass({ metadata, fields }: Pick<ColumnTable, "metadata" | "fields">): string | null {
  if (metadata === null) return null;
  const all: readonly MatlabMetadata[] = [metadata, ...fields.map((field) => field.metadata ?? NO_METADATA)];
  for (const one of all) {
    if (Array.isArray(one.objects) || one.enumeration === true) return findMetadataClass(one) ?? "an";
    for (const name of [one.elementClass, one.class]) if (typeof name === "string" && OBJECTS.has(name)) return name;
    if (one.opaque === true && one.object_decode === 3 && isWords(fields)) return findMetadataClass(one) ?? "an";
  }
  return null;
}

/** Whether the values are the unsigned integers that MATLAB uses to store objects. */
function isWords([field]: readonly ArrowField[]): boolean {
  let type = field?.type;
  while (type?.id === "FixedSizeList") type = type.item.type;
  return type?.id === "Int" && type.bits === 32 && !type.signed;
}

/**
 * Writes a table whose metadata contain a class and a size.
 * @returns the number of rows; null if the columns no longer match the metadata.
 */
export async function writeStored(
  place: ValueDestination,
  table: ColumnTable,
  metadata: MatlabMetadata,
): Promise<number | null> {
  const { cx } = place;
  const { fields, rows } = table;
  const name = findMetadataClass(metadata);
  const isEntries = fields.length === 3 || findEntriesValue(table) !== null;
  if (metadata.kind === "csc_matrix" && name !== null && isEntries) {
    return await writeSparse(place, table, getMatlabMatrixShape(table, null));
  }
  if (hasNoMatlabClass(metadata)) return await writeGenericTable(place, table, null);
  // Values of unknown meaning, and Python bytes stored as text, are written unchanged.
  if (metadata.opaque === true || metadata.storage !== undefined) return await writeGenericTable(place, table, name);
  if (metadata.kind === "rec-array") return await writeStructArray(place, table, metadata);
  if (fields.length !== 1) return null;
  if (metadata.kind === "cell" || name === "cell" || metadata.elementClass !== undefined) {
    return await writeCell(place, table, metadata);
  }
  if (name === "char") return await writeCharTable(place, table, metadata);
  const [field] = fields;
  if (!isNumbers(field)) return null;
  const { type, shape: rowShape } = toWrittenForm(field, NO_METADATA);
  if (findNumericClass(type, metadata) === null || (type.kind === "float" && type.bits === 16)) return null;
  const size = parseSize(metadata.size) ?? [];
  const fits = [...rowShape].join() === size.slice(1).join() && rows === size[0];
  const isVector = rowShape.length === 0 && size.length === 2 && (size[0] === 1 || size[1] === 1);
  if (!fits && !isVector && countElements(size) === 0 && rows === 0) {
    return await writeNothing(place, table, metadata, type);
  }
  if (size.length < 2) return await writeGenericTable(place, table, findMatlabClass(type));
  if (isVector && countElements(size) === 0 && rows === 0) return await writeNothing(place, table, metadata, type);
  const isRow = isVector && size[0] === 1 && size[1] !== 1;
  const sink = createNumericSink(place, { type, rows, rowShape, isRow, metadata: { ...metadata, class: name } });
  let count = 0;
  for await (const { columns, length } of readTableBatches(table, cx, true)) {
    const values = toStoredValues({ type, shape: rowShape }, columns[0]);
    await sink.write(toSinkNumbers(type, values), length);
    count += length;
  }
  await sink.close();
  return count;
}

function isNumbers({ type }: ArrowField): boolean {
  let inner = type;
  while (inner.id === "FixedSizeList") inner = inner.item.type;
  return (
    inner.id !== "Utf8" &&
    inner.id !== "Binary" &&
    inner.id !== "List" &&
    (isElementType(inner) || areComplexIntegers(inner))
  );
}

async function writeNothing(
  place: ValueDestination,
  table: ColumnTable,
  metadata: MatlabMetadata,
  type: Parameters<typeof findNumericClass>[0],
): Promise<number> {
  for await (const _ of readTableBatches(table, place.cx));
  const name = findNumericClass(type, metadata) ?? "double";
  const size = parseSize(metadata.size) ?? [];
  await writeEmptyValue(place, size, metadata, { class: name, intDecode: name === "logical" ? 1 : undefined });
  return 0;
}

async function writeCharTable(place: ValueDestination, table: ColumnTable, metadata: MatlabMetadata): Promise<number> {
  const columns: Column[] = [];
  let rows = 0;
  for await (const { columns: own, length } of readTableBatches(table, place.cx)) {
    columns.push(own[0]);
    rows += length;
  }
  await writeCharColumn(place, columns, metadata);
  return rows;
}

async function writeCell(
  place: ValueDestination,
  table: ColumnTable,
  metadata: MatlabMetadata,
): Promise<number | null> {
  const [field] = table.fields;
  const size = parseSize(metadata.size) ?? [];
  const name = findCellClass(metadata);
  const elements = new ElementWriter(place, field, { ...metadata, class: metadata.elementClass });
  const { references } = elements;
  if (field.type.id !== "Null" && !isElementType(field.type) && !areComplexIntegers(field.type)) return null;
  for await (const { columns, length } of readTableBatches(table, place.cx))
    if (length > 0) await elements.add(columns[0]);
  const fitting = countElements(size) === references.length ? getCellSize(size, metadata) : [references.length, 1];
  if (references.length === 0 && metadata.empty !== undefined) {
    await writeEmptyValue(place, fitting, metadata, { class: name });
    return 0;
  }
  await references.write(place, fitting, createMatlabAttributes(place, metadata, { class: name }));
  return references.length;
}

/** Returns the class of a cell; null for reference lists that are not MATLAB cells. */
export function findCellClass(metadata: MatlabMetadata): string | null {
  return metadata.unclassed === true ? null : (findMetadataClass(metadata) ?? "cell");
}

/** Returns the attributes of a struct array's field, whose reference list has no class. */
export function createFieldAttributes(
  place: ValueDestination,
  { class: name, fieldMetadata }: MatlabMetadata,
  field: string,
) {
  const known = isObject(fieldMetadata) ? fieldMetadata[field] : null;
  return createMatlabAttributes(place, isObject(known) ? known : NO_METADATA, { class: null, isPart: name !== "" });
}

/** Returns the size of a cell. For a list without a class, the stored size is in file order. */
export function getCellSize(size: readonly number[], metadata: MatlabMetadata): readonly number[] {
  return metadata.unclassed === true ? [...size].reverse() : size;
}

/** Writes a struct array. @returns the number of rows; null for a column that has no elements. */
async function writeStructArray(
  place: ValueDestination,
  table: ColumnTable,
  metadata: MatlabMetadata,
): Promise<number | null> {
  const { cx } = place;
  const names =
    table.fields.length > 0 ? table.fields.map((field) => field.name) : (parseTextList(metadata.fields) ?? []);
  const size = parseSize(metadata.size) ?? [];
  const rows = table.rows ?? countElements(size);
  const fitting = countElements(size) === rows ? size : [rows, 1];
  if (rows === 0 || names.length === 0) {
    for await (const _ of readTableBatches(table, cx));
    await writeEmptyStruct(place, fitting, names, metadata);
    return rows;
  }
  for (const { name, type } of table.fields) {
    if (isElementType(type) || areComplexIntegers(type)) continue;
    throw new UnsupportedElementError(`field ${name} of type ${describeArrowType(type)} in a struct array`, {
      element: place.element,
    });
  }
  const struct = await openStruct(place, names, metadata);
  const columns = table.fields.map((field) => {
    const own = isObject(field.metadata) ? field.metadata : NO_METADATA;
    return new ElementWriter(struct.field(field.name), field, own);
  });
  for await (const { columns: own } of readTableBatches(table, cx)) {
    for (const [i, elements] of columns.entries()) await elements.add(own[i]);
  }
  for (const [i, { references }] of columns.entries()) {
    const field = struct.field(names[i]);
    await references.write(field, fitting, createFieldAttributes(field, metadata, names[i]));
  }
  return rows;
}
