/** Writes tables read from a MATLAB file as their original values. */

import type { Column } from "../../arrow/column.js";
import { type ArrowField, typeText } from "../../arrow/type.js";
import { storedTypeOf } from "../../arrow/written-type.js";
import { storedValues } from "../../arrow/written-values.js";
import { RefusedError } from "../../model/errors.js";
import { product } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { rowsOf } from "../../tables/rows.js";
import { entriesValue } from "../../tables/sparse/sparse-entries.js";
import { attributesOf, writeEmptyValue } from "./attributes.js";
import { areComplexIntegers, classOfType, numbersOf, numericClass } from "./classes.js";
import type { ValuePlace } from "./context.js";
import { ElementWriter, isElementType, writeCharColumn } from "./elements.js";
import { classOf, isObject, type MatlabMetadata, NO_METADATA, sizeOf, textsOf } from "./metadata.js";
import { numericSink } from "./numeric.js";
import { isPlain, writePlain } from "./plain.js";
import { matrixShape, writeSparse } from "./sparse.js";
import { openStruct, writeEmptyStruct } from "./struct.js";

/** Classes whose values are stored in the object store. */
const OBJECTS = new Set(["string", "categorical", "datetime", "duration", "calendarDuration", "table", "timetable"]);

/** Returns the class of objects among a table's values, elements or fields; null if there are none. */
export function objectClass({ metadata, fields }: Pick<ColumnTable, "metadata" | "fields">): string | null {
  if (metadata === null) return null;
  const all: readonly MatlabMetadata[] = [metadata, ...fields.map((field) => field.metadata ?? NO_METADATA)];
  for (const one of all) {
    if (Array.isArray(one.objects) || one.enumeration === true) return classOf(one) ?? "an";
    for (const name of [one.elementClass, one.class]) if (typeof name === "string" && OBJECTS.has(name)) return name;
    if (one.opaque === true && one.object_decode === 3 && isWords(fields)) return classOf(one) ?? "an";
  }
  return null;
}

/** Whether the values are the unsigned numbers in which MATLAB stores objects. */
function isWords([field]: readonly ArrowField[]): boolean {
  let type = field?.type;
  while (type?.id === "FixedSizeList") type = type.item.type;
  return type?.id === "Int" && type.bits === 32 && !type.signed;
}

/**
 * Writes a table whose metadata have class and size.
 * @returns the number of rows; null where the columns no longer fit the metadata.
 */
export async function writeStored(
  place: ValuePlace,
  table: ColumnTable,
  metadata: MatlabMetadata,
): Promise<number | null> {
  const { cx } = place;
  const { fields, rows } = table;
  const name = classOf(metadata);
  const isEntries = fields.length === 3 || entriesValue(table) !== null;
  if (metadata.kind === "csc_matrix" && name !== null && isEntries) {
    return await writeSparse(place, table, matrixShape(table, null));
  }
  if (isPlain(metadata)) return await writePlain(place, table, null);
  // Values of unknown meaning, and Python bytes stored as text, are written unchanged.
  if (metadata.opaque === true || metadata.storage !== undefined) return await writePlain(place, table, name);
  if (metadata.kind === "rec-array") return await writeStructArray(place, table, metadata);
  if (fields.length !== 1) return null;
  if (metadata.kind === "cell" || name === "cell" || metadata.elementClass !== undefined) {
    return await writeCell(place, table, metadata);
  }
  if (name === "char") return await writeCharTable(place, table, metadata);
  const [field] = fields;
  if (!isNumbers(field)) return null;
  const { type, shape: rowShape } = storedTypeOf(field, NO_METADATA);
  if (numericClass(type, metadata) === null || (type.kind === "float" && type.bits === 16)) return null;
  const size = sizeOf(metadata.size) ?? [];
  const fits = [...rowShape].join() === size.slice(1).join() && rows === size[0];
  const isVector = rowShape.length === 0 && size.length === 2 && (size[0] === 1 || size[1] === 1);
  if (!fits && !isVector && product(size) === 0 && rows === 0) {
    return await writeNothing(place, table, metadata, type);
  }
  if (size.length < 2) return await writePlain(place, table, classOfType(type));
  if (isVector && product(size) === 0 && rows === 0) return await writeNothing(place, table, metadata, type);
  const isRow = isVector && size[0] === 1 && size[1] !== 1;
  const sink = numericSink(place, { type, rows, rowShape, isRow, metadata: { ...metadata, class: name } });
  let count = 0;
  for await (const { columns, length } of rowsOf(table, cx, true)) {
    const values = storedValues({ type, shape: rowShape }, columns[0]);
    await sink.write(numbersOf(type, values), length);
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
  place: ValuePlace,
  table: ColumnTable,
  metadata: MatlabMetadata,
  type: Parameters<typeof numericClass>[0],
): Promise<number> {
  for await (const _ of rowsOf(table, place.cx));
  const name = numericClass(type, metadata) ?? "double";
  const size = sizeOf(metadata.size) ?? [];
  await writeEmptyValue(place, size, metadata, { class: name, intDecode: name === "logical" ? 1 : undefined });
  return 0;
}

async function writeCharTable(place: ValuePlace, table: ColumnTable, metadata: MatlabMetadata): Promise<number> {
  const columns: Column[] = [];
  let rows = 0;
  for await (const { columns: own, length } of rowsOf(table, place.cx)) {
    columns.push(own[0]);
    rows += length;
  }
  await writeCharColumn(place, columns, metadata);
  return rows;
}

async function writeCell(place: ValuePlace, table: ColumnTable, metadata: MatlabMetadata): Promise<number | null> {
  const [field] = table.fields;
  const size = sizeOf(metadata.size) ?? [];
  const name = cellClass(metadata);
  const elements = new ElementWriter(place, field, { ...metadata, class: metadata.elementClass });
  const { references } = elements;
  if (field.type.id !== "Null" && !isElementType(field.type) && !areComplexIntegers(field.type)) return null;
  for await (const { columns, length } of rowsOf(table, place.cx)) if (length > 0) await elements.add(columns[0]);
  const fitting = product(size) === references.length ? cellSize(size, metadata) : [references.length, 1];
  if (references.length === 0 && metadata.empty !== undefined) {
    await writeEmptyValue(place, fitting, metadata, { class: name });
    return 0;
  }
  await references.write(place, fitting, attributesOf(place, metadata, { class: name }));
  return references.length;
}

/** Returns the class of a cell; null for reference lists that are not MATLAB cells. */
export function cellClass(metadata: MatlabMetadata): string | null {
  return metadata.unclassed === true ? null : (classOf(metadata) ?? "cell");
}

/** Returns the attributes of a struct array's field, whose reference list has no class. */
export function fieldAttributes(place: ValuePlace, { class: name, fieldMetadata }: MatlabMetadata, field: string) {
  const known = isObject(fieldMetadata) ? fieldMetadata[field] : null;
  return attributesOf(place, isObject(known) ? known : NO_METADATA, { class: null, isPart: name !== "" });
}

/** Returns the size of a cell. The size of a list without a class is in file order. */
export function cellSize(size: readonly number[], metadata: MatlabMetadata): readonly number[] {
  return metadata.unclassed === true ? [...size].reverse() : size;
}

/** Writes a struct array. @returns the number of rows; null for a column that has no elements. */
async function writeStructArray(
  place: ValuePlace,
  table: ColumnTable,
  metadata: MatlabMetadata,
): Promise<number | null> {
  const { cx } = place;
  const names = table.fields.length > 0 ? table.fields.map((field) => field.name) : (textsOf(metadata.fields) ?? []);
  const size = sizeOf(metadata.size) ?? [];
  const rows = table.rows ?? product(size);
  const fitting = product(size) === rows ? size : [rows, 1];
  if (rows === 0 || names.length === 0) {
    for await (const _ of rowsOf(table, cx));
    await writeEmptyStruct(place, fitting, names, metadata);
    return rows;
  }
  for (const { name, type } of table.fields) {
    if (isElementType(type) || areComplexIntegers(type)) continue;
    throw new RefusedError(`field ${name} of type ${typeText(type)} in a struct array`, {
      element: place.element,
    });
  }
  const struct = await openStruct(place, names, metadata);
  const columns = table.fields.map((field) => {
    const own = isObject(field.metadata) ? field.metadata : NO_METADATA;
    return new ElementWriter(struct.field(field.name), field, own);
  });
  for await (const { columns: own } of rowsOf(table, cx)) {
    for (const [i, elements] of columns.entries()) await elements.add(own[i]);
  }
  for (const [i, { references }] of columns.entries()) {
    const field = struct.field(names[i]);
    await references.write(field, fitting, fieldAttributes(field, metadata, names[i]));
  }
  return rows;
}
