/** The table of an array: rows along its first dimension, in the column `value`, or a column for each field of a record. */

import type { StoredArray } from "../../containers/tree/container.js";
import { arrayTable, nullTable, type TableElement } from "../element.js";

/** @throws {UnsupportedError} for values without an Arrow type. */
export function arrayElement(array: StoredArray): TableElement {
  const { shape } = array;
  return shape === null ? nullTable({}) : arrayTable(array, { kind: kindOf(array), shape });
}

function kindOf({ type, shape }: StoredArray): string {
  if (type.kind === "record") return "rec-array";
  const isText = type.kind === "text";
  if (shape?.length === 0) return isText ? "string" : "numeric-scalar";
  return isText ? "string-array" : "array";
}
