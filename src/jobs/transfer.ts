/** Parts on their way from a worker: which memory moves instead of being copied, and what stays behind. */

import type { Column } from "../arrow/column.js";
import { nullColumn } from "../arrow/column.js";
import type { Validity } from "../kernels/bitmap.js";
import { ownBytes } from "../kernels/own-bytes.js";
import { bytesOf, type NumberArray, viewLike } from "../stored.js";
import type { Part } from "./product.js";

/** A part that can be sent, and the memory that goes with it. */
export interface Shipment {
  readonly part: Part;
  readonly transfer: ArrayBuffer[];
}

/**
 * Makes `part` ready to be sent: views become memory of their own where more hangs on it. Dictionaries stay behind:
 * the receiver has them, once for all batches.
 */
export function ship(part: Part): Shipment {
  switch (part.kind) {
    case "batches": {
      const transfer = new Set<ArrayBuffer>();
      const batches = part.batches.map(({ length, columns }) => ({
        length,
        columns: columns.map((column) => shipColumn(column, transfer)),
      }));
      return { part: { kind: part.kind, batches }, transfer: [...transfer] };
    }
    case "sums":
      return { part, transfer: [part.sums.buffer] };
    case "row-groups":
      return {
        part,
        transfer: part.groups.flatMap(({ bytes }) => (bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [])),
      };
    case "ipc":
      return { part, transfer: part.messages.map(({ bytes }) => bytes.buffer) };
    default:
      return part satisfies never;
  }
}

/** `part` with the dictionaries of its columns, by position. */
export function receive(part: Part, dictionaries: readonly (Column | null)[]): Part {
  if (part.kind !== "batches" || dictionaries.every((dictionary) => dictionary === null)) return part;
  const batches = part.batches.map(({ length, columns }) => ({
    length,
    columns: columns.map((column, i) => {
      const dictionary = dictionaries[i];
      return column.layout === "dictionary" && dictionary !== null ? { ...column, dictionary } : column;
    }),
  }));
  return { kind: part.kind, batches };
}

function shipColumn(column: Column, transfer: Set<ArrayBuffer>): Column {
  const own = <T extends NumberArray>(values: T): T => ownMemory(values, transfer);
  const validity = shipValidity(column.validity, transfer);
  switch (column.layout) {
    case "null":
      return column;
    case "primitive":
      return { ...column, validity, values: own(column.values) };
    case "variable":
      return { ...column, validity, offsets: own(column.offsets), bytes: own(column.bytes) };
    case "list":
      return { ...column, validity, offsets: own(column.offsets), child: shipColumn(column.child, transfer) };
    case "fixed-size-list":
      return { ...column, validity, child: shipColumn(column.child, transfer) };
    case "struct":
      return { ...column, validity, children: column.children.map((child) => shipColumn(child, transfer)) };
    case "dictionary":
      return { ...column, validity, indices: own(column.indices), dictionary: nullColumn(0) };
    case "union":
      return {
        ...column,
        typeIds: own(column.typeIds),
        offsets: own(column.offsets),
        children: column.children.map((child) => shipColumn(child, transfer)),
      };
    default:
      return column satisfies never;
  }
}

function shipValidity(validity: Validity | null, transfer: Set<ArrayBuffer>): Validity | null {
  return validity === null ? null : { ...validity, bitmap: ownMemory(validity.bitmap, transfer) };
}

/** The values in memory that holds nothing else: what a reader keeps for its next rows must not move away. */
function ownMemory<T extends NumberArray>(values: T, transfer: Set<ArrayBuffer>): T;
function ownMemory(values: NumberArray, transfer: Set<ArrayBuffer>): NumberArray {
  const { buffer } = values;
  const whole = values.byteLength === buffer.byteLength && buffer instanceof ArrayBuffer && !transfer.has(buffer);
  const own = whole ? values : viewLike(values, ownBytes(bytesOf(values)));
  if (own.buffer instanceof ArrayBuffer) transfer.add(own.buffer);
  return own;
}
