/**
 * Lists the nodes and buffers of columns for a record batch: a node for each column, children behind their parents, and
 * their buffers in order.
 */

import type { Column } from "../../arrow/column.js";
import { bitmapBytes } from "../../kernels/values/bitmap.js";
import type { NumberArray } from "../../model/stored.js";
import type { FieldNode } from "../read/message.js";

export interface ColumnBuffers {
  readonly nodes: readonly FieldNode[];
  /** Views of the columns' own memory, exactly as long as the values need. */
  readonly buffers: readonly Uint8Array[];
}

const NOTHING = new Uint8Array(0);

/** The nodes and buffers of `columns`; a dictionary column gives its indices. */
export function columnBuffers(columns: readonly Column[]): ColumnBuffers {
  const found = { nodes: [], buffers: [] };
  for (const column of columns) add(column, found);
  return found;
}

function add(column: Column, out: { nodes: FieldNode[]; buffers: Uint8Array[] }): void {
  const { length, layout } = column;
  const { nodes, buffers } = out;
  const validity = column.validity !== null && column.validity.nullCount > 0 ? column.validity : null;
  nodes.push({ length, nullCount: layout === "null" ? length : (validity?.nullCount ?? 0) });
  // A column of nulls has no buffer, and a union leaves missing values to its children.
  if (layout !== "null" && layout !== "union") {
    buffers.push(validity === null ? NOTHING : first(validity.bitmap, bitmapBytes(length)));
  }
  switch (layout) {
    case "null":
      return;
    case "primitive":
      buffers.push(first(column.values, valueBytes(column.type, length)));
      return;
    case "variable": {
      const offsets = column.offsets.subarray(0, length + 1);
      const [start, end] = [offsets[0], offsets[length]];
      buffers.push(first(start === 0 ? offsets : offsets.map((offset) => offset - start), 4 * (length + 1)));
      buffers.push(first(column.bytes.subarray(start), end - start));
      return;
    }
    case "list":
      buffers.push(first(column.offsets, 4 * (length + 1)));
      add(column.child, out);
      return;
    case "fixed-size-list":
      add(column.child, out);
      return;
    case "struct":
      for (const child of column.children) add(child, out);
      return;
    case "dictionary":
      buffers.push(first(column.indices, length * column.indices.BYTES_PER_ELEMENT));
      return;
    case "union":
      buffers.push(first(column.typeIds, length), first(column.offsets, 4 * length));
      for (const child of column.children) add(child, out);
      return;
    default:
      column satisfies never;
  }
}

type PrimitiveType = Extract<Column, { layout: "primitive" }>["type"];

function valueBytes(type: PrimitiveType, length: number): number {
  switch (type.id) {
    case "Bool":
      return bitmapBytes(length);
    case "Int":
    case "Float":
      return (length * type.bits) / 8;
    case "FixedSizeBinary":
      return length * type.width;
    case "Date32":
      return length * 4;
    case "Timestamp":
    case "Duration":
      return length * 8;
    default:
      return type satisfies never;
  }
}

/** The first `bytes` bytes of an array, which may be longer. */
function first({ buffer, byteOffset, byteLength }: NumberArray, bytes: number): Uint8Array {
  if (byteLength < bytes) throw new TypeError(`a buffer has ${byteLength} bytes, its column needs ${bytes}`);
  return new Uint8Array(buffer, byteOffset, bytes);
}
