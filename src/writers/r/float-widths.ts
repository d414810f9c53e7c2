/** Floats that R has no type for. */

import type { ArrowType } from "../../arrow/type.js";
import type { ColumnTable } from "../../tables/column-table.js";

/** Most elements that a message names. */
const MOST_NAMED = 3;

/** Says which elements have floats of fewer than 64 bits, which R holds as its 64-bit ones; null where none has. */
export function describeWiderFloats(tables: ReadonlyMap<string, ColumnTable>): string | null {
  const names = [...tables].flatMap(([name, { fields, derived }]) =>
    !derived && fields.some(({ type }) => hasShortFloats(type)) ? [name] : [],
  );
  if (names.length === 0) return null;
  const others = names.length - MOST_NAMED;
  const rest = others > 0 ? ` and ${others} ${others === 1 ? "other" : "others"}` : "";
  return `${names.slice(0, MOST_NAMED).join(", ")}${rest}: 32-bit floats, which R holds as 64-bit ones with the same values`;
}

function hasShortFloats(type: ArrowType): boolean {
  if (type.id === "Float") return type.bits < 64;
  if (type.id === "FixedSizeList" || type.id === "List") return hasShortFloats(type.item.type);
  return type.id === "Struct" && type.fields.some((field) => hasShortFloats(field.type));
}
