/** Rows of tables in memory on their way to a worker, which encodes them: no more than these rows, copied once. */

import { type Column, nullColumn } from "../../arrow/column.js";
import { bitmapBytes } from "../../kernels/values/bitmap.js";
import type { NumberArray } from "../../model/stored.js";
import type { Codec } from "../../parquet/write/compression.js";
import type { ParquetColumn } from "../../parquet/write/parquet-column.js";
import type { EncodedRowGroup, Segment } from "../../parquet/write/row-group.js";
import type { BufferPool } from "../memory/buffer-pool.js";
import { BlockCopies, BlockSize, isShared, type MessageBuffers } from "../memory/packed-block.js";

/** What a worker needs once for many row groups of a table. */
export interface EncoderPlan {
  readonly columns: readonly ParquetColumn[];
  readonly compression: Codec;
  /** By column, of those that have one: the row groups come without. */
  readonly dictionaries: readonly (Column | null)[];
}

/** Segments that can be sent, and the memory they lie in, which goes with them. */
export interface PackedSegments {
  readonly segments: readonly Segment[];
  readonly memory: ArrayBuffer;
}

/** Bytes of the values of `segments`, their dictionaries aside. */
export function segmentBytes(segments: readonly Segment[]): number {
  let bytes = 0;
  for (const { columns, from, to } of segments) {
    for (const column of columns) {
      if (column.layout === "primitive") bytes += (column.values.byteLength / column.length) * (to - from);
      else if (column.layout === "dictionary") bytes += column.indices.BYTES_PER_ELEMENT * (to - from);
      else if (column.layout === "variable") bytes += 4 * (to - from) + column.offsets[to] - column.offsets[from];
    }
  }
  return bytes;
}

/** The segments in memory of their own, which the sender can give away; what is shared between threads stays as it is. */
export function packSegments(segments: readonly Segment[], pool: BufferPool): PackedSegments {
  const needed = new BlockSize();
  packed(segments, needed);
  const memory = pool.take(needed.bytes).buffer;
  return { segments: packed(segments, new BlockCopies(memory)), memory };
}

/** A dictionary in memory of its own: of a view all the memory behind it would be sent. */
export function packDictionary(dictionary: Column): Column {
  const needed = new BlockSize();
  packColumn(dictionary, 0, dictionary.length, needed);
  return packColumn(dictionary, 0, dictionary.length, new BlockCopies(new ArrayBuffer(needed.bytes)));
}

function packed(segments: readonly Segment[], place: MessageBuffers): Segment[] {
  return segments.map(({ columns, from, to }) => {
    // Bitmaps are cut between bytes.
    const start = from - (from % 8);
    return {
      columns: columns.map((column) => packColumn(column, start, to, place)),
      from: from - start,
      to: to - start,
      origin: start,
    };
  });
}

/** What encodes packed segments. */
export async function segmentEncoder({ columns, compression, dictionaries }: EncoderPlan) {
  const { encoderOf } = await import("../../parquet/write/row-group.js");
  const encoder = await encoderOf(columns, compression);
  const whole = (column: Column, i: number): Column => {
    const dictionary = dictionaries[i];
    return column.layout === "dictionary" && dictionary !== null ? { ...column, dictionary } : column;
  };
  return (segments: readonly Segment[]): Promise<EncodedRowGroup> =>
    encoder.encode(segments.map((segment) => ({ ...segment, columns: segment.columns.map(whole) })));
}

/** The rows [start, end), without the dictionary; `start` is a multiple of 8. */
function packColumn(column: Column, start: number, end: number, place: MessageBuffers): Column {
  const own = <T extends NumberArray>(values: T, from: number, to: number): T => place.own(part(values, from, to));
  const length = end - start;
  const bits = (bitmap: Uint8Array) => own(bitmap, start / 8, bitmapBytes(end));
  const validity = column.validity && { ...column.validity, bitmap: bits(column.validity.bitmap) };
  switch (column.layout) {
    case "null":
      return { ...column, length };
    case "primitive": {
      const { type, values } = column;
      if (type.id === "Bool") return { ...column, length, validity, values: own(values, start / 8, bitmapBytes(end)) };
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
      return { ...column, length, validity, indices: own(column.indices, start, end), dictionary: nullColumn(0) };
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
