/** Checks whether values of R are empty. */

import { textLength } from "../../../containers/rds/model/text.js";
import type { RValue } from "../../../containers/rds/model/value.js";
import { frameOf, isFrame } from "./frame.js";
import { isRanges } from "./ranges.js";
import { listOf, slot } from "./value.js";

/** Maximum nesting of objects that are searched; deeper objects count as values. */
const MAX_DEPTH = 8;

/** Whether a value is empty: NULL, a vector, list, matrix or dataframe without values, or an object of these. */
export function isEmpty(value: RValue, depth = 0): boolean {
  switch (value.kind) {
    case "null":
      return true;
    case "logical":
    case "integer":
    case "real":
    case "complex":
    case "raw":
      return value.values.length === 0;
    case "character":
      return textLength(value.text) === 0;
    case "list":
      return value.values.length === 0;
    case "s4":
      if (isFrame(value)) return frameOf(value).columns.length === 0;
      if (isRanges(value)) return isEmpty(slot(slot(value, "ranges"), "start"));
      if (value.slots.has("listData")) return isEmpty(listOf(value, "a list"));
      return depth < MAX_DEPTH && [...value.slots.values()].every((one) => isEmpty(one, depth + 1));
    case "spilled":
    case "pairlist":
    case "language":
    case "symbol":
    case "environment":
    case "named":
    case "namespace":
    case "package":
    case "external pointer":
    case "unreadable":
    case "opaque":
      return false;
    default:
      return value satisfies never;
  }
}
