/** The values of single numbers and texts, which `inspect` shows beside their types. */

import type { OpenedTable } from "../../api/opened-dataset.js";
import type { Column } from "../../arrow/column.js";
import { textValues } from "../../arrow/text.js";
import { shortened } from "../../display/plain.js";
import { bitAt } from "../../kernels/values/bitmap.js";
import { StoredTable } from "../../tables/stored-table.js";

/** Most characters of a text. */
const CHARACTERS = 60;

/**
 * The value of a table of one number or text; null for any other table, and for a value that cannot be read: who reads
 * it gets the error.
 */
export async function scalarText(table: OpenedTable | undefined, signal: AbortSignal): Promise<string | null> {
  if (!(table instanceof StoredTable) || table.rows !== 1 || table.fields.length !== 1) return null;
  const [{ type }] = table.fields;
  if (type.id !== "Utf8" && type.id !== "Bool" && type.id !== "Int" && type.id !== "Float") return null;
  try {
    for await (const part of table.parts({ kind: "batches", batchBytes: 1 }, { signal })) {
      if (part.kind !== "batches") return null;
      for (const { length, columns } of part.batches) if (length > 0) return valueText(columns[0]);
    }
  } catch {
    signal.throwIfAborted();
  }
  return null;
}

function valueText(column: Column): string | null {
  if (column.validity !== null && !bitAt(column.validity.bitmap, 0)) return "null";
  switch (column.layout) {
    case "variable": {
      const [text] = column.type.id === "Utf8" ? textValues(column) : [null];
      return text === null ? null : JSON.stringify(shortened(text, CHARACTERS));
    }
    case "primitive":
      // float16 is stored as its bits.
      if (column.type.id === "Float" && column.type.bits === 16) return null;
      return column.type.id === "Bool" ? String(bitAt(bytes(column.values), 0)) : String(column.values[0]);
    case "null":
    case "list":
    case "fixed-size-list":
    case "struct":
    case "dictionary":
    case "union":
      return null;
    default:
      return column satisfies never;
  }
}

const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => new Uint8Array(buffer, byteOffset, byteLength);
