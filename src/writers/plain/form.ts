/** The form in which a table is written, and what its metadata say of it. */

import type { ArrowField } from "../../arrow/type.js";
import { recordTypeOf, storedTypeOf, type WrittenForm } from "../../arrow/written-type.js";
import { recordValues, storedValues } from "../../arrow/written-values.js";
import { RefusedError } from "../../model/errors.js";
import { isJsonObject } from "../../model/json-object.js";
import type { StoredValues } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import type { PlainAttributes } from "./attributes.js";
import { type FieldContext, plainField } from "./field.js";

/** How a table is written: the type and the shape of a row, whether it is one scalar, and the values of a batch. */
export interface TableForm extends WrittenForm {
  readonly isScalar: boolean;
  readonly values: (columns: Parameters<typeof recordValues>[1], length: number) => StoredValues;
}

/** Whether a table is the arrays of a group: see `frame` of `open`. */
export function isFrame({ metadata }: ColumnTable): boolean {
  return metadata?.kind === "frame";
}

/** The path of the group of a frame. */
export function groupOf({ name, metadata }: ColumnTable): string {
  return metadata?.group === "/" ? "" : name;
}

/** The path of the array of a column of a frame. */
export function arrayPath(table: ColumnTable, field: Pick<ArrowField, "name">): string {
  const group = groupOf(table);
  return group === "" ? field.name : `${group}/${field.name}`;
}

/** @throws {InvalidInputError} where a column has no form in the container. */
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

/** The object of a name in JSON; an empty one where there is none. */
export function jsonIn(metadata: Readonly<Record<string, unknown>> | null | undefined, name: string): PlainAttributes {
  const value = metadata?.[name];
  return isJsonObject(value) ? value : {};
}
