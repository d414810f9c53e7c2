/**
 * Prepares results for transfer from a worker. Some memory is transferred without a copy, and some stays in the worker.
 */

import { type Column, createNullColumn } from "../../arrow/column.js";
import type { Validity } from "../../kernels/values/bitmap.js";
import { copyToOwnMemory } from "../../kernels/values/copy-bytes.js";
import { type NumberArray, viewAsBytes, viewLike } from "../../model/stored.js";
import type { JobMemory } from "../memory/buffer-pool.js";
import type { JobResult } from "../rows/task.js";

/** A result that can be sent, and the memory that is transferred with it. */
export interface TransferableResult {
  readonly result: JobResult;
  readonly transfer: ArrayBuffer[];
  /** The part of `transfer` that the receiver sends back. */
  readonly returned: readonly ArrayBuffer[];
}

/** The memory that is transferred with a result. */
interface Cargo {
  readonly own: Set<ArrayBuffer>;
  readonly returned: Set<ArrayBuffer>;
  readonly reusable: JobMemory | null;
}

/**
 * Makes `result` ready to be sent: copies views of larger memory. Dictionaries are not sent, because the receiver
 * already has them, once for all batches.
 * @param reusable memory that moves and comes back; values in memory of another owner are copied.
 */
export function toTransferableResult(result: JobResult, reusable: JobMemory | null = null): TransferableResult {
  switch (result.kind) {
    case "batches": {
      const cargo = { own: new Set<ArrayBuffer>(), returned: new Set<ArrayBuffer>(), reusable };
      const batches = result.batches.map(({ length, columns }) => ({
        length,
        columns: columns.map((column) => shipColumn(column, cargo)),
      }));
      const returned = [...cargo.returned];
      return { result: { kind: result.kind, batches }, transfer: [...cargo.own, ...returned], returned };
    }
    case "sums":
      return { result, transfer: [result.sums.buffer], returned: [] };
    case "bands": {
      const returned = result.blocks.flatMap(({ keys, values }) =>
        [keys, ...values].flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : [])),
      );
      return { result, transfer: returned, returned };
    }
    case "encoded":
      return { result, transfer: result.encoded.map(({ bytes }) => bytes.buffer), returned: [] };
    default:
      return result satisfies never;
  }
}

/** Returns `result` with the dictionaries of its columns, by position. */
export function withDictionaries(result: JobResult, dictionaries: readonly (Column | null)[]): JobResult {
  if (result.kind !== "batches" || dictionaries.every((dictionary) => dictionary === null)) return result;
  const batches = result.batches.map(({ length, columns }) => ({
    length,
    columns: columns.map((column, i) => {
      const dictionary = dictionaries[i];
      return column.layout === "dictionary" && dictionary !== null ? { ...column, dictionary } : column;
    }),
  }));
  return { kind: result.kind, batches };
}

function shipColumn(column: Column, cargo: Cargo): Column {
  const own = <T extends NumberArray>(values: T): T => ownMemory(values, cargo);
  const validity = shipValidity(column.validity, cargo);
  switch (column.layout) {
    case "null":
      return column;
    case "primitive":
      return { ...column, validity, values: own(column.values) };
    case "variable":
      return { ...column, validity, offsets: own(column.offsets), bytes: own(column.bytes) };
    case "list":
      return { ...column, validity, offsets: own(column.offsets), child: shipColumn(column.child, cargo) };
    case "fixed-size-list":
      return { ...column, validity, child: shipColumn(column.child, cargo) };
    case "struct":
      return { ...column, validity, children: column.children.map((child) => shipColumn(child, cargo)) };
    case "dictionary":
      return { ...column, validity, indices: own(column.indices), dictionary: createNullColumn(0) };
    case "union":
      return {
        ...column,
        typeIds: own(column.typeIds),
        offsets: own(column.offsets),
        children: column.children.map((child) => shipColumn(child, cargo)),
      };
    default:
      return column satisfies never;
  }
}

function shipValidity(validity: Validity | null, cargo: Cargo): Validity | null {
  return validity === null ? null : { ...validity, bitmap: ownMemory(validity.bitmap, cargo) };
}

/**
 * Returns values in memory that may move, either because it contains nothing else or because it comes back. Memory that
 * a reader caches for its next rows must not move away.
 */
function ownMemory<T extends NumberArray>(values: T, cargo: Cargo): T;
function ownMemory(values: NumberArray, { own, returned, reusable }: Cargo): NumberArray {
  const { buffer } = values;
  if (reusable?.holds(buffer)) {
    returned.add(buffer);
    return values;
  }
  const whole = values.byteLength === buffer.byteLength && buffer instanceof ArrayBuffer && !own.has(buffer);
  const alone = whole ? values : viewLike(values, copyToOwnMemory(viewAsBytes(values)));
  if (alone.buffer instanceof ArrayBuffer) own.add(alone.buffer);
  return alone;
}
