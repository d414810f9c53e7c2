/** Characters that are one text. */

import type { CharValue, Value } from "./value.js";

/** One row of characters, or none at all. */
export function isText(value: Value): value is CharValue {
  if (value.kind !== "char" || value.size.length !== 2) return false;
  const { column, size, texts } = value;
  if (texts === null && !(column.kind === "array" && column.array.type.kind === "text")) return false;
  return size[0] === 1 || (size[0] === 0 && size[1] === 0);
}
