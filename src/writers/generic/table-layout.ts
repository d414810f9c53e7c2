/** Determines the form in which a table is written, and reads its metadata. */

import type { ArrowField } from "../../arrow/type.js";
import { createRecordType, toWrittenForm, type WrittenType } from "../../arrow/written-type.js";
import { recordValues, toStoredValues } from "../../arrow/written-values.js";
import { UnsupportedElementError } from "../../model/errors.js";
import { isJsonObject } from "../../model/json-object.js";
import type { StoredValues } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import type { GenericAttributes } from "./attributes.js";
import { type FieldContext, toContainerField } from "./field.js";

/**
 * The form of a table: a row's type and shape, whether the table is a scalar, and a function that returns a batch's
 * values.
 */
export interface TableLayout extends WrittenType {
  readonly isScalar: boolean;
  readonly values: (columns: Parameters<typeof recordValues>[1], length: number) => StoredValues;
}

/** Whether a table contains a group's arrays as columns: see `frame` of `open`. */
export function isFrame({ metadata }: ColumnTable): boolean {
  return metadata?.kind === "frame";
}

/** Returns the path of a frame's group. */
export function getFrameGroupPath({ name, metadata }: ColumnTable): string {
  return metadata?.group === "/" ? "" : name;
}

export function getColumnArrayPath(table: ColumnTable, field: Pick<ArrowField, "name">): string {
  const group = getFrameGroupPath(table);
  return group === "" ? field.name : `${group}/${field.name}`;
}

/** @throws {InvalidInputError} if the container cannot represent a column. */
export function detectTableLayout(table: ColumnTable, cx: FieldContext): TableLayout {
  const { metadata, rows, fields } = table;
  const isScalar = metadata?.shape?.length === 0 && rows === 1;
  if (fields.length === 0) throw new UnsupportedElementError("no columns, and an array has a type");
  if (metadata?.references !== undefined)
    cx.warn(`${table.name}: references are written as the paths of their objects`);
  if (fields.length === 1 && fields[0].name === "value" && metadata?.kind !== "dataframe") {
    // A one-column table has the column's details in its own metadata.
    const [field] = fields;
    const form = toWrittenForm(
      toContainerField({ ...field, metadata: { ...field.metadata, ...metadata } }, table.name, cx),
    );
    return { ...form, isScalar, values: ([column]) => toStoredValues(form, column) };
  }
  const type = createRecordType(fields.map((field) => toContainerField(field, table.name, cx)));
  return { type, shape: [], isScalar, values: (columns, length) => recordValues(type, columns, length) };
}

/** Returns the attributes in a table's or field's metadata. */
export function getMetadataAttributes(
  metadata: Readonly<Record<string, unknown>> | null | undefined,
): GenericAttributes {
  return getMetadataJson(metadata, "attributes");
}

/** Returns the JSON object under a name; an empty object if there is none. */
export function getMetadataJson(
  metadata: Readonly<Record<string, unknown>> | null | undefined,
  name: string,
): GenericAttributes {
  const value = metadata?.[name];
  return isJsonObject(value) ? value : {};
}
