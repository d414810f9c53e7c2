/** Which rows of a column are missing, and which lie below something that is missing. */

import { bitAt } from "../../kernels/values/bitmap.js";
import type { Column, ListColumn } from "../column.js";

/** 1 for each row below a missing one, whose value means nothing; null: none is. */
export type Hidden = Uint8Array | null;

/** 1 where a row is missing; null: none is. A row of a union is missing where the row of its kind is. */
export function missingRows(column: Column): Uint8Array | null {
  if (column.layout === "null") return column.length === 0 ? null : new Uint8Array(column.length).fill(1);
  if (column.layout === "union") {
    const kinds = column.children.map(missingRows);
    if (kinds.every((kind) => kind === null)) return null;
    const { typeIds, offsets } = column;
    return someOf(Uint8Array.from({ length: column.length }, (_, i) => kinds[typeIds[i]]?.[offsets[i]] ?? 0));
  }
  if (column.validity === null || column.validity.nullCount === 0) return null;
  const { bitmap } = column.validity;
  return someOf(Uint8Array.from({ length: column.length }, (_, i) => (bitAt(bitmap, i) ? 0 : 1)));
}

/** Rows that one or the other hides. */
export function either(a: Hidden, b: Hidden): Hidden {
  if (a === null || b === null) return a ?? b;
  return a.map((one, i) => one | b[i]);
}

/** What hidden rows hide in lists of `size` each. */
export function hiddenInside(hidden: Hidden, size: number): Hidden {
  if (hidden === null) return null;
  const out = new Uint8Array(hidden.length * size);
  for (let i = 0; i < hidden.length; i++) if (hidden[i] === 1) out.fill(1, i * size, (i + 1) * size);
  return someOf(out);
}

/** What hidden rows hide in the content of lists, which begins with the first list. */
export function hiddenInLists(hidden: Hidden, { offsets, length }: ListColumn): Hidden {
  if (hidden === null) return null;
  const out = new Uint8Array(offsets[length] - offsets[0]);
  for (let i = 0; i < length; i++) {
    if (hidden[i] === 1) out.fill(1, offsets[i] - offsets[0], offsets[i + 1] - offsets[0]);
  }
  return someOf(out);
}

function someOf(rows: Uint8Array): Hidden {
  return rows.includes(1) ? rows : null;
}
