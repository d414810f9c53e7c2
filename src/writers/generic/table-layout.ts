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

/** Form of a table: type and shape of a row, whether it is a scalar, and a function for the values of a batch. */
export interface TableLayout extends WrittenType {
  readonly isScalar: boolean;
  readonly values: (columns: Parameters<typeof recordValues>[1], length: number) => StoredValues;
}

/** Whether a table contains the arrays of a group as columns: see `frame` of `open`. */
export function isFrame({ metadata }: ColumnTable): boolean {
  return metadata?.kind === "frame";
}

/** Returns the group path of a frame. */
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
    // A table of one column has the details of the column in its own metadata.
    const [field] = fields;
    const form = toWrittenForm(
      toContainerField({ ...field, metadata: { ...field.metadata, ...metadata } }, table.name, cx),
    );
    return { ...form, isScalar, values: ([column]) => toStoredValues(form, column) };
  }
  const type = createRecordType(fields.map((field) => toContainerField(field, table.name, cx)));
  return { type, shape: [], isScalar, values: (columns, length) => recordValues(type, columns, length) };
}

/** The attributes that the metadata of a table or a field have. */
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
