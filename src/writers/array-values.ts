/** Converts the columns of arrays and sparse matrices, in which NaN is the only missing value of floats. */

import type { Column } from "../arrow/column.js";
import type { WrittenType } from "../arrow/written-type.js";
import { toStoredValues } from "../arrow/written-values.js";
import type { StoredValues } from "../model/stored.js";
import { type LossyContext, reportLoss } from "./context.js";

/**
 * Returns a column's values. The rows of fixed-size lists are concatenated.
 * @throws {InvalidInputError} for missing values, unless their type can represent them, or losses are allowed and the
 * values are floats, which become NaN.
 */
export function toArrayValues(form: WrittenType, column: Column, element: string, cx: LossyContext): StoredValues {
  if (form.type.kind !== "float" || !hasMissing(column)) return toStoredValues(form, column);
  reportLoss(cx, element, {
    problem: "missing values in floats, for which anndata has no form",
    instead: "they are written as NaN",
    remedy: "write NaN in their place",
  });
  return toStoredValues(form, column, "fill");
}

function hasMissing(column: Column): boolean {
  if (column.validity !== null && column.validity.nullCount > 0) return true;
  return column.layout === "fixed-size-list" && hasMissing(column.child);
}
