/**
 * Packs rows of a table into memory for a worker that encodes them: only these rows are sent, and they are copied once.
 */

import { type Column, createNullColumn } from "../../arrow/column.js";
import { getBitmapByteLength } from "../../kernels/values/bitmap.js";
import { type NumberArray, viewAsBytes, viewLike } from "../../model/stored.js";
import type { Codec } from "../../parquet/write/compression.js";
import type { ParquetColumn } from "../../parquet/write/parquet-column.js";
import type { BatchRange, EncodedRowGroup } from "../../parquet/write/row-group.js";
import type { BufferPool } from "../memory/buffer-pool.js";

/** The data that a worker needs once per table to encode its row groups. */
export interface EncoderPlan {
  readonly columns: readonly ParquetColumn[];
  readonly compression: Codec;
  /** The dictionary of each column; null if the column has no dictionary. Row groups are sent without dictionaries. */
  readonly dictionaries: readonly (Column | null)[];
}

/** Slices that can be sent, and their memory, which is transferred with them. */
export interface PackedRows {
  readonly slices: readonly BatchRange[];
  readonly memory: ArrayBuffer;
}

/** Returns the size of the values of `slices` in bytes, without their dictionaries. */
export function countPackedBytes(slices: readonly BatchRange[]): number {
  let bytes = 0;
  for (const { columns, from, to } of slices) {
    for (const column of columns) {
      if (column.layout === "primitive") bytes += (column.values.byteLength / column.length) * (to - from);
      else if (column.layout === "dictionary") bytes += column.indices.BYTES_PER_ELEMENT * (to - from);
      else if (column.layout === "variable") bytes += 4 * (to - from) + column.offsets[to] - column.offsets[from];
    }
  }
  return bytes;
}

/** Copies slices into memory that can move to another thread. Arrays in shared memory are not copied. */
export function packRows(slices: readonly BatchRange[], pool: BufferPool): PackedRows {
  const needed = new BlockSize();
  packed(slices, needed);
  const memory = pool.take(needed.bytes).buffer;
  return { slices: packed(slices, new BlockCopies(memory)), memory };
}

/** Copies a dictionary into new memory. Sending a view would send its whole buffer. */
export function packDictionary(dictionary: Column): Column {
  const needed = new BlockSize();
  packColumn(dictionary, 0, dictionary.length, needed);
  return packColumn(dictionary, 0, dictionary.length, new BlockCopies(new ArrayBuffer(needed.bytes)));
}

function packed(slices: readonly BatchRange[], place: MessageBuffers): BatchRange[] {
  return slices.map(({ columns, from, to }) => {
    // The first row is rounded down to a multiple of 8, because bitmaps can be cut only between bytes.
    const start = from - (from % 8);
    return {
      columns: columns.map((column) => packColumn(column, start, to, place)),
      from: from - start,
      to: to - start,
      origin: start,
    };
  });
}

export async function createPackedRowsEncoder({ columns, compression, dictionaries }: EncoderPlan) {
  const { createRowGroupEncoder } = await import("../../parquet/write/row-group.js");
  const encoder = await createRowGroupEncoder(columns, compression);
  const whole = (column: Column, i: number): Column => {
    const dictionary = dictionaries[i];
    return column.layout === "dictionary" && dictionary !== null ? { ...column, dictionary } : column;
  };
  return (slices: readonly BatchRange[]): Promise<EncodedRowGroup> =>
    encoder.encode(slices.map((slice) => ({ ...slice, columns: slice.columns.map(whole) })));
}

/** Packs the rows [start, end) of a column, without its dictionary; `start` is a multiple of 8. */
function packColumn(column: Column, start: number, end: number, place: MessageBuffers): Column {
  const own = <T extends NumberArray>(values: T, from: number, to: number): T => place.own(part(values, from, to));
  const length = end - start;
  const bits = (bitmap: Uint8Array) => own(bitmap, start / 8, getBitmapByteLength(end));
  const validity = column.validity && { ...column.validity, bitmap: bits(column.validity.bitmap) };
  switch (column.layout) {
    case "null":
      return { ...column, length };
    case "primitive": {
      const { type, values } = column;
      if (type.id === "Bool")
        return { ...column, length, validity, values: own(values, start / 8, getBitmapByteLength(end)) };
      const width = type.id === "FixedSizeBinary" ? type.width : 1;
      return { ...column, length, validity, values: own(values, width * start, width * end) };
    }
    case "variable": {
      const { offsets, bytes } = column;
      if (isShared(bytes)) return { ...column, length, validity, offsets: own(offsets, start, end + 1) };
      const first = offsets[start];
      const moved = place.offsets(offsets.subarray(start, end + 1), first);
      return { ...column, length, validity, offsets: moved, bytes: own(bytes, first, offsets[end]) };
    }
    case "dictionary":
      return { ...column, length, validity, indices: own(column.indices, start, end), dictionary: createNullColumn(0) };
    case "list":
    case "fixed-size-list":
    case "struct":
    case "union":
      throw new TypeError(`a flat column is needed, not one of the layout ${column.layout}`);
    default:
      return column satisfies never;
  }
}

function part<T extends NumberArray>(values: T, from: number, to: number): T;
function part(values: NumberArray, from: number, to: number): NumberArray {
  return values.subarray(from, to);
}

/** Allocates the arrays of a message. */
export interface MessageBuffers {
  /** Returns the values in memory that may be sent. */
  own<T extends NumberArray>(values: T): T;
  /** Returns the offsets reduced by `first`, in memory that can be sent. */
  offsets(values: Int32Array, first: number): Int32Array;
}

/** Counts the bytes that a block needs, without copying. */
class BlockSize implements MessageBuffers {
  bytes = 0;

  own<T extends NumberArray>(values: T): T {
    if (!isShared(values)) this.bytes += rounded(values.byteLength);
    return values;
  }

  offsets(values: Int32Array): Int32Array {
    this.bytes += rounded(values.byteLength);
    return values;
  }
}

/** Copies arrays into a block. Arrays in shared memory are not copied. */
class BlockCopies implements MessageBuffers {
  readonly #block: ArrayBuffer;
  #at = 0;

  constructor(block: ArrayBuffer) {
    this.#block = block;
  }

  own<T extends NumberArray>(values: T): T;
  own(values: NumberArray): NumberArray {
    return isShared(values) ? values : viewLike(values, this.#copy(values));
  }

  offsets(values: Int32Array, first: number): Int32Array {
    const { buffer, byteOffset } = this.#copy(values);
    const moved = new Int32Array(buffer, byteOffset, values.length);
    if (first !== 0) for (let i = 0; i < moved.length; i++) moved[i] -= first;
    return moved;
  }

  #copy(values: NumberArray): Uint8Array {
    const copy = new Uint8Array(this.#block, this.#at, values.byteLength);
    copy.set(viewAsBytes(values));
    this.#at += rounded(values.byteLength);
    return copy;
  }
}

/**
 * True if other threads can also see this memory. On pages that are not allowed to share memory, not even the name
 * `SharedArrayBuffer` exists.
 */
export function isShared({ buffer }: ArrayBufferView): boolean {
  return typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
}

/** Rounds up to a multiple of 8, because views start at such offsets. */
function rounded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
