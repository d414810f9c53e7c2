/** Which tables of `uns` can be global attributes of Loom: scalars, and arrays of numbers or text. */

import type { ArrowType } from "../../arrow/type.js";
import type { ColumnTable } from "../../tables/column-table.js";

const OTHERS: ReadonlySet<string> = new Set(["awkward-array", "dataframe", "null", "rec-array"]);

export function isGlobal({ fields, metadata }: ColumnTable): boolean {
  return fields.length === 1 && !OTHERS.has(metadata?.kind ?? "") && isPlain(fields[0].type);
}

/** Whether values are numbers, booleans or text, or arrays of these. */
export function isPlain(type: ArrowType): boolean {
  if (type.id === "FixedSizeList") return isPlain(type.item.type);
  return isScalar(type);
}

/** Whether a value is one number, boolean or text, be it a category. */
export function isScalar(type: ArrowType): boolean {
  switch (type.id) {
    case "Bool":
    case "Int":
    case "Float":
    case "Utf8":
    case "Timestamp":
    case "Duration":
      return true;
    case "Dictionary":
      return isScalar(type.value);
    default:
      return false;
  }
}
