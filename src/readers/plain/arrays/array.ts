/** The table of an array: rows along its first dimension, in the column `value`, or a column for each field of a record. */

import type { StoredArray } from "../../../containers/tree/container.js";
import { arrayTable, nullTable, type TableElement } from "../../element.js";
import { cfElement } from "./cf-element.js";
import type { PlainContext } from "./context.js";
import { referencesIn, withPaths } from "./references.js";

/** @throws {UnsupportedError} for values without an Arrow type. */
export function arrayElement(stored: StoredArray, cx: PlainContext): TableElement {
  const decoded = cx.plain?.cf === true ? cfElement(stored, cx) : null;
  if (decoded !== null) return decoded;
  const array = withPaths(stored, cx);
  const { shape } = array;
  const references = referencesIn(stored.type);
  return shape === null
    ? nullTable({})
    : arrayTable(array, { kind: kindOf(array), shape, ...(references === null ? {} : { references }) });
}

function kindOf({ type, shape }: StoredArray): string {
  if (type.kind === "record") return "rec-array";
  const isText = type.kind === "text";
  if (shape?.length === 0) return isText ? "string" : "numeric-scalar";
  return isText ? "string-array" : "array";
}
