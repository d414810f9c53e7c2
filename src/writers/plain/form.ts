/** Determines the form in which a table is written, and reads its metadata. */

import type { ArrowField } from "../../arrow/type.js";
import { recordTypeOf, storedTypeOf, type WrittenForm } from "../../arrow/written-type.js";
import { recordValues, storedValues } from "../../arrow/written-values.js";
import { RefusedError } from "../../model/errors.js";
import { isJsonObject } from "../../model/json-object.js";
import type { StoredValues } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import type { PlainAttributes } from "./attributes.js";
import { type FieldContext, plainField } from "./field.js";

/** Form of a table: type and shape of a row, whether it is a scalar, and a function for the values of a batch. */
export interface TableForm extends WrittenForm {
  readonly isScalar: boolean;
  readonly values: (columns: Parameters<typeof recordValues>[1], length: number) => StoredValues;
}

/** Whether a table contains the arrays of a group as columns: see `frame` of `open`. */
export function isFrame({ metadata }: ColumnTable): boolean {
  return metadata?.kind === "frame";
}

/** Returns the group path of a frame. */
export function groupOf({ name, metadata }: ColumnTable): string {
  return metadata?.group === "/" ? "" : name;
}

export function arrayPath(table: ColumnTable, field: Pick<ArrowField, "name">): string {
  const group = groupOf(table);
  return group === "" ? field.name : `${group}/${field.name}`;
}

/** @throws {InvalidInputError} if the container cannot represent a column. */
export function formOf(table: ColumnTable, cx: FieldContext): TableForm {
  const { metadata, rows, fields } = table;
  const isScalar = metadata?.shape?.length === 0 && rows === 1;
  if (fields.length === 0) throw new RefusedError("no columns, and an array has a type");
  if (metadata?.references !== undefined)
    cx.warn(`${table.name}: references are written as the paths of their objects`);
  if (fields.length === 1 && fields[0].name === "value" && metadata?.kind !== "dataframe") {
    // A table of one column has the details of the column in its own metadata.
    const [field] = fields;
    const form = storedTypeOf(plainField({ ...field, metadata: { ...field.metadata, ...metadata } }, table.name, cx));
    return { ...form, isScalar, values: ([column]) => storedValues(form, column) };
  }
  const type = recordTypeOf(fields.map((field) => plainField(field, table.name, cx)));
  return { type, shape: [], isScalar, values: (columns, length) => recordValues(type, columns, length) };
}

/** The attributes that the metadata of a table or a field have. */
export function attributesOf(metadata: Readonly<Record<string, unknown>> | null | undefined): PlainAttributes {
  return jsonIn(metadata, "attributes");
}

/** Returns the JSON object under a name; an empty object if there is none. */
export function jsonIn(metadata: Readonly<Record<string, unknown>> | null | undefined, name: string): PlainAttributes {
  const value = metadata?.[name];
  return isJsonObject(value) ? value : {};
}
