/** Converts the doubles of a sparse matrix back to their original type, if that type represents them exactly. */

import type { Column } from "../arrow/column.js";
import { type ArrowField, type ArrowType, describeArrowType } from "../arrow/type.js";
import { InvalidDataError } from "../model/errors.js";
import { allocate, type NumberArray } from "../model/stored.js";
import type { ColumnTable } from "./column-table.js";

export type NarrowType = Extract<ArrowType, { id: "Int" }> | { readonly id: "Float"; readonly bits: 32 };

/**
 * Converts the doubles in a table of coordinates or entry lists to values of `type`.
 * @throws {InvalidDataError} while the table is read, for a value that `type` cannot represent.
 */
export function narrowTableValues(table: ColumnTable, type: NarrowType): ColumnTable {
  const narrow = (column: Column, i: number) => narrowed(column, table.fields[i], type, table.name);
  return {
    ...table,
    asRead: null,
    fields: table.fields.map((field) => narrowedField(field, type)),
    layouts: table.layouts.filter((layout) => layout === "coordinate" || layout === "list"),
    layout: async (layout) => narrowTableValues(await table.layout(layout), type),
    only: (places) => narrowTableValues(table.only?.(places) ?? table, type),
    async *batches(options) {
      for await (const { length, columns } of table.batches(options)) yield { length, columns: columns.map(narrow) };
    },
  };
}

function narrowedField(field: ArrowField, type: NarrowType): ArrowField {
  if (field.name === "value") return { ...field, type };
  const { type: own } = field;
  if (own.id === "List") return { ...field, type: { ...own, item: narrowedField(own.item, type) } };
  if (own.id !== "Struct") return field;
  return { ...field, type: { ...own, fields: own.fields.map((one) => narrowedField(one, type)) } };
}

function narrowed(column: Column, field: ArrowField, type: NarrowType, element: string): Column {
  if (field.name === "value") return narrowedColumn(column, type, element);
  if (column.layout === "list") {
    const { item } = column.type;
    const child = narrowed(column.child, item, type, element);
    return { ...column, type: { ...column.type, item: narrowedField(item, type) }, child };
  }
  if (column.layout !== "struct") return column;
  const { fields } = column.type;
  const children = column.children.map((child, i) => narrowed(child, fields[i], type, element));
  return { ...column, type: { ...column.type, fields: fields.map((one) => narrowedField(one, type)) }, children };
}

function narrowedColumn(column: Column, type: NarrowType, element: string): Column {
  if (column.layout !== "primitive" || !(column.values instanceof Float64Array)) {
    throw new InvalidDataError(
      `${describeArrowType(column.type)}, where doubles stand for ${describeArrowType(type)}`,
      { element },
    );
  }
  const values = column.values.subarray(0, column.length);
  return {
    ...column,
    type,
    values: type.id === "Int" ? integers(values, type, element) : singles(values, type, element),
  };
}

function integers(values: Float64Array, type: Extract<NarrowType, { id: "Int" }>, element: string): NumberArray {
  const out = allocate({ kind: "int", bits: type.bits, signed: type.signed }, values.length);
  for (let i = 0; i < values.length; i++) {
    if (!Number.isInteger(values[i])) throw notHeld(values[i], type, element);
    if (out instanceof BigInt64Array || out instanceof BigUint64Array) out[i] = BigInt(values[i]);
    else out[i] = values[i];
    // A value that does not fit is read back as a different number.
    if (Number(out[i]) !== values[i]) throw notHeld(values[i], type, element);
  }
  return out;
}

function singles(values: Float64Array, type: NarrowType, element: string): NumberArray {
  const out = Float32Array.from(values);
  const wrong = out.findIndex((value, i) => value !== values[i] && !Number.isNaN(values[i]));
  if (wrong >= 0) throw notHeld(values[wrong], type, element);
  return out;
}

function notHeld(value: number, type: ArrowType, element: string): InvalidDataError {
  return new InvalidDataError(`value ${value}, described as ${describeArrowType(type)}`, { element });
}
