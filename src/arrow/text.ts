/** Text and bytes <-> Utf8 and Binary. */

import { InvalidDataError } from "../errors.js";
import { bitAt, validityWhere } from "../kernels/bitmap.js";
import { firstInvalidText, latin1ToUtf8 } from "../kernels/utf8.js";
import type { VariableValues } from "../stored.js";
import type { VariableColumn } from "./column.js";

/** What to do with text whose bytes are not UTF-8. */
export type TextFallback = "error" | "latin1";

/**
 * Stored text as Utf8; its buffers are taken as they are.
 * @throws {InvalidDataError} where a value is not UTF-8 and `fallback` is `"error"`.
 */
export function textColumn(values: VariableValues, fallback: TextFallback): VariableColumn {
  const { offsets, bytes } = values;
  const type = { id: "Utf8" } as const;
  const length = offsets.length - 1;
  const invalid = firstInvalidText(offsets, bytes);
  if (invalid < 0) return { layout: "variable", type, length, validity: null, offsets, bytes };
  if (fallback === "latin1")
    return { layout: "variable", type, length, validity: null, ...latin1ToUtf8(offsets, bytes) };
  const hex = Array.from(bytes.subarray(offsets[invalid], offsets[invalid + 1]).subarray(0, 16), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join(" ");
  throw new InvalidDataError(`text ${invalid} of ${length} is not UTF-8 (bytes ${hex}); read it with text: "latin1"`);
}

/** Bytes of variable width as Binary. */
export function binaryColumn({ offsets, bytes }: VariableValues): VariableColumn {
  return {
    layout: "variable",
    type: { id: "Binary" },
    length: offsets.length - 1,
    validity: null,
    offsets,
    bytes,
  };
}

/** The values of a Utf8 column as strings, for names and small elements; null where missing. */
export function textValues(column: VariableColumn): (string | null)[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return Array.from({ length: column.length }, (_, i) =>
    column.validity !== null && !bitAt(column.validity.bitmap, i)
      ? null
      : decoder.decode(column.bytes.subarray(column.offsets[i], column.offsets[i + 1])),
  );
}

/** Strings as a Utf8 column; null is missing. */
export function textColumnOf(values: readonly (string | null)[]): VariableColumn {
  const encoder = new TextEncoder();
  const parts = values.map((value) => encoder.encode(value ?? ""));
  const offsets = new Int32Array(values.length + 1);
  for (const [i, part] of parts.entries()) offsets[i + 1] = offsets[i] + part.length;
  const bytes = new Uint8Array(offsets[values.length]);
  for (const [i, part] of parts.entries()) bytes.set(part, offsets[i]);
  const validity = validityWhere(values.length, (i) => values[i] !== null);
  return { layout: "variable", type: { id: "Utf8" }, length: values.length, validity, offsets, bytes };
}
