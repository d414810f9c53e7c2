/** Checks whether R values are empty. */

import { countTextStrings } from "../../../containers/rds/model/text.js";
import type { RValue } from "../../../containers/rds/model/value.js";
import { isFrame, toRFrame } from "./frame.js";
import { isRanges } from "./ranges.js";
import { getRList, getRSlot } from "./value.js";

/** Maximum nesting at which objects are searched. Deeper objects count as values. */
const MAX_DEPTH = 8;

/**
 * Whether a value is empty: NULL, a vector, list, matrix or dataframe without values, or an object that contains only
 * these.
 */
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
      return countTextStrings(value.text) === 0;
    case "list":
      return value.values.length === 0;
    case "s4":
      if (isFrame(value)) return toRFrame(value).columns.length === 0;
      if (isRanges(value)) return isEmpty(getRSlot(getRSlot(value, "ranges"), "start"));
      if (value.slots.has("listData")) return isEmpty(getRList(value, "a list"));
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
