/** Timestamps and durations as text. */

import { bitAt } from "../kernels/values/bitmap.js";
import type { Column } from "./column.js";
import { isoDuration, isoTimestamp } from "./iso-time.js";
import { textColumnOf } from "./text.js";

const PER_SECOND = { s: 1n, ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n } as const;

/** Times as ISO 8601 text; what is missing stays so. */
export function timeTexts(column: Column): Column {
  const { type } = column;
  if (column.layout !== "primitive" || (type.id !== "Timestamp" && type.id !== "Duration")) {
    throw new TypeError("times expected");
  }
  const text = type.id === "Timestamp" ? isoTimestamp : isoDuration;
  const bitmap = column.validity?.bitmap ?? null;
  return textColumnOf(
    Array.from({ length: column.length }, (_, i) =>
      bitmap !== null && !bitAt(bitmap, i) ? null : text(BigInt(column.values[i]), PER_SECOND[type.unit]),
    ),
  );
}
