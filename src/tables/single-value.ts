/** Reads the value of a single-value table, such as a number or a text in `uns`. */

import type { Column } from "../arrow/column.js";
import { decodeTextValues } from "../arrow/text.js";
import { isBitSet } from "../kernels/values/bitmap.js";
import type { DataTable } from "../model/dataset.js";
import { StoredTable } from "./stored-table.js";

/** A value; null if it is missing. */
export interface SingleValue {
  readonly value: string | boolean | number | bigint | null;
}

/**
 * Reads the value of a table that contains a single number or text. Returns null for any other table, and for a value
 * that cannot be read, because reading the table reports the error.
 */
export async function readSingleValue(
  table: StoredTable | DataTable,
  signal: AbortSignal,
): Promise<SingleValue | null> {
  if (!(table instanceof StoredTable) || table.rows !== 1 || table.fields.length !== 1) return null;
  const [{ type }] = table.fields;
  if (type.id !== "Utf8" && type.id !== "Bool" && type.id !== "Int" && type.id !== "Float") return null;
  try {
    for await (const part of table.parts({ kind: "batches", batchBytes: 1 }, { signal })) {
      if (part.kind !== "batches") return null;
      for (const { length, columns } of part.batches) if (length > 0) return getFirstValue(columns[0]);
    }
  } catch {
    signal.throwIfAborted();
  }
  return null;
}

function getFirstValue(column: Column): SingleValue | null {
  if (column.validity !== null && !isBitSet(column.validity.bitmap, 0)) return { value: null };
  switch (column.layout) {
    case "variable": {
      const [text] = column.type.id === "Utf8" ? decodeTextValues(column) : [null];
      return text === null ? null : { value: text };
    }
    case "primitive":
      // float16 is stored as its bits.
      if (column.type.id === "Float" && column.type.bits === 16) return null;
      return { value: column.type.id === "Bool" ? isBitSet(toBytes(column.values), 0) : column.values[0] };
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

const toBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => new Uint8Array(buffer, byteOffset, byteLength);
