/** Columns as the stored values of one array, in which no value is missing. */

import type { Column } from "../../arrow/column.js";
import { upToNul } from "../../arrow/text.js";
import type { WrittenForm } from "../../arrow/written-type.js";
import { storedValues } from "../../arrow/written-values.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import { lose } from "../lose.js";
import type { AnnDataWriterContext } from "./context.js";

/**
 * The values of a column, the rows of its lists of fixed size one after another.
 * @throws {InvalidInputError} where values are missing, but for types that have a value for it; floats become NaN where
 * the caller allows losses.
 */
export function arrayValues(
  form: WrittenForm,
  column: Column,
  element: string,
  cx: AnnDataWriterContext,
): StoredValues {
  if (form.type.kind !== "float" || !hasMissing(column)) return storedValues(form, column);
  lose(
    cx,
    element,
    "missing values in floats, for which anndata has no form",
    "they are written as NaN",
    "write NaN in their place",
  );
  return storedValues(form, column, "fill");
}

function hasMissing(column: Column): boolean {
  if (column.validity !== null && column.validity.nullCount > 0) return true;
  return column.layout === "fixed-size-list" && hasMissing(column.child);
}

/**
 * The values as the container can hold them: text of variable length ends at a NUL in HDF5.
 * @throws {InvalidInputError} for text with a NUL, unless losses are allowed.
 */
export function holdable(
  values: StoredValues,
  type: StoredType,
  element: string,
  cx: AnnDataWriterContext,
): StoredValues {
  if (cx.container !== "hdf5" || type.kind !== "text" || type.storage.form === "fixed") return values;
  if (values.kind !== "variable" || values.bytes.indexOf(0) < 0) return values;
  lose(
    cx,
    element,
    "text with a NUL, at which text ends in HDF5",
    "it is written up to there",
    "take the NULs out, or write Zarr",
  );
  return upToNul(values);
}
