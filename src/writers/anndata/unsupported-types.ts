/** Converts columns that anndata or the container does not support to supported columns with the same meaning. */

import type { Column } from "../../arrow/column.js";
import { toIsoTextColumn } from "../../arrow/iso-time.js";
import { type ArrowField, type ArrowType, describeArrowType, UTF8 } from "../../arrow/type.js";
import { isJsonObject } from "../../model/json-object.js";
import { reportLoss } from "../context.js";
import type { AnnDataWriterContext } from "./context.js";

export interface SupportedColumn {
  readonly field: ArrowField;
  readonly change: (column: Column) => Column;
}

const UNCHANGED = (column: Column) => column;

/**
 * Returns the field and the conversion with which a column is written.
 * @throws {InvalidInputError} for times, unless losses are allowed, in which case they become ISO 8601 text.
 */
export function toSupportedColumn(field: ArrowField, element: string, cx: AnnDataWriterContext): SupportedColumn {
  const { type, metadata = {} } = field;
  if (metadata.kind === "awkward-array") return { field, change: UNCHANGED };
  switch (type.id) {
    case "Date32":
    case "Timestamp":
    case "Duration": {
      // anndata has no encoding for durations. But Zarr stores all numpy types, so a duration that was read from a file
      // remains a duration.
      const stored = "unit" in metadata && cx.container !== "hdf5";
      if (stored) return { field, change: UNCHANGED };
      const problem =
        "unit" in metadata
          ? `HDF5 has no type for ${describeArrowType(type)}`
          : `anndata has no ${describeArrowType(type)}`;
      reportLoss(cx, element, {
        problem,
        instead: "it is written as ISO 8601 text",
        remedy: "cast it to text, or to a number",
      });
      return { field: withType(field, UTF8), change: toIsoTextColumn };
    }
    case "Dictionary": {
      if ("members" in metadata)
        return cx.container === "hdf5" ? { field, change: UNCHANGED } : plainEnum(field, element, cx);
      const value = toSupportedColumn({ name: field.name, type: type.value, nullable: false }, element, cx);
      if (value.change === UNCHANGED) return { field, change: UNCHANGED };
      const changed = { ...type, value: value.field.type };
      const dictionaries = new WeakMap<Column, Column>();
      const change = (column: Column): Column => {
        if (column.layout !== "dictionary") throw new TypeError("a dictionary expected");
        const dictionary = dictionaries.get(column.dictionary) ?? value.change(column.dictionary);
        dictionaries.set(column.dictionary, dictionary);
        return { ...column, type: changed, dictionary };
      };
      return { field: { ...field, type: changed }, change };
    }
    case "Bool":
      // The column was an HDF5 enum with a member for missing values.
      if ("members" in metadata && cx.container !== "hdf5") return { field: withType(field, type), change: UNCHANGED };
      return { field, change: UNCHANGED };
    case "Utf8":
      return { field: keepsStorage(metadata, cx) ? field : withoutStorage(field), change: UNCHANGED };
    default:
      return { field, change: UNCHANGED };
  }
}

/**
 * Whether text has a fixed width, which is the case only if the file had bytes with the encoding `array`. anndata
 * writes all other text with variable length.
 */
function keepsStorage(metadata: Readonly<Record<string, unknown>>, cx: AnnDataWriterContext): boolean {
  const { storage, encoding } = metadata;
  if (!isJsonObject(storage) || storage.form !== "fixed" || !isJsonObject(encoding) || encoding.type !== "array")
    return false;
  return cx.container === "hdf5" ? storage.encoding !== "utf-32" : true;
}

function withoutStorage(field: ArrowField): ArrowField {
  const { storage: _, ...metadata } = field.metadata ?? {};
  return { ...field, metadata };
}

/** Converts an enum to a categorical of its names, because Zarr has no enums. */
function plainEnum(field: ArrowField, element: string, cx: AnnDataWriterContext): SupportedColumn {
  reportLoss(cx, element, {
    problem: "Zarr has no enums",
    instead: "it is written as a categorical of its names",
    remedy: "cast it to text",
  });
  return { field: withType(field, field.type), change: UNCHANGED };
}

/** Returns the field with another type, and without storage metadata. */
function withType({ name }: ArrowField, type: ArrowType): ArrowField {
  return { name, type, nullable: true };
}
