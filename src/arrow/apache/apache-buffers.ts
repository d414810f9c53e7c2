/**
 * Reads and checks the buffers of apache-arrow's `Data`, which come from the caller, perhaps from another copy of the
 * library. When apache-arrow slices, it cuts values and offsets, but addresses bits by `offset`.
 */

import type { Data } from "apache-arrow";
import { countSet } from "../../kernels/parquet/bit-ranges.js";
import { getBitmapByteLength, type Validity } from "../../kernels/values/bitmap.js";
import { type NumberArray, viewAsBytes, viewLike } from "../../model/stored.js";
import { emptyNumbers } from "../column.js";
import { sliceBits } from "../take.js";
import type { ArrowType } from "../type.js";

/** A problem with a buffer. The caller, which knows the column, adds the column's name. */
export class BufferProblem extends Error {}

/** Returns the typed array of a column's values, which has at least one value per row. */
export function getDataNumbers({ values, length }: Data, type: ArrowType): NumberArray {
  const like = emptyNumbers(type);
  const count = type.id === "FixedSizeBinary" ? type.width * length : length;
  if (count === 0) return like;
  const view = viewOf(values);
  const width = view === null ? 0 : view.BYTES_PER_ELEMENT;
  const found = view === null ? 0 : view.byteLength / width;
  if (view === null || width !== like.BYTES_PER_ELEMENT || found < count) {
    const text = view === null ? "none" : `${found} of ${width} bytes`;
    throw new BufferProblem(`should have ${count} values of ${like.BYTES_PER_ELEMENT} bytes, there are ${text}`);
  }
  return viewLike(like, viewAsBytes(view));
}

interface TypedView extends ArrayBufferView {
  readonly BYTES_PER_ELEMENT: number;
}

function viewOf(values: unknown): TypedView | null {
  return ArrayBuffer.isView(values) && "BYTES_PER_ELEMENT" in values && typeof values.BYTES_PER_ELEMENT === "number"
    ? { ...part(values), BYTES_PER_ELEMENT: values.BYTES_PER_ELEMENT }
    : null;
}

function part({ buffer, byteOffset, byteLength }: ArrayBufferView): ArrayBufferView {
  return { buffer, byteOffset, byteLength };
}

/** Returns the bytes of a buffer; empty if the buffer is missing. */
export function getBufferBytes(buffer: unknown): Uint8Array {
  return ArrayBuffer.isView(buffer)
    ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    : new Uint8Array(0);
}

/** Returns booleans with an offset of 0 bits. */
export function alignBooleanBits({ values, offset, length }: Data): Uint8Array {
  const bits = getBufferBytes(values);
  if (8 * bits.length < offset + length) {
    throw new BufferProblem(`should have ${offset + length} booleans, there are ${8 * bits.length}`);
  }
  return sliceBits(bits, offset, length);
}

/** Returns the validity of a column. Nulls are counted again, since the given count may be wrong or unknown. */
export function computeDataValidity(data: Data): Validity | null {
  const { nullCount, nullBitmap, offset, length } = data;
  const bits = getBufferBytes(nullBitmap);
  // A slice of values without a bitmap has an unknown count.
  if (nullCount === 0 || length === 0 || (nullCount < 0 && bits.length === 0)) return null;
  if (8 * bits.length < offset + length) {
    throw new BufferProblem(`has ${nullCount} nulls, and ${8 * bits.length} bits that say which of ${offset + length}`);
  }
  const bitmap = sliceBits(bits, offset, length);
  const missing = length - countSet(bitmap, 0, length);
  return missing === 0 ? null : { bitmap: bitmap.subarray(0, getBitmapByteLength(length)), nullCount: missing };
}

/** Offsets of lists or texts that start at 0, and the position of the first value. 64-bit offsets are narrowed. */
export interface Offsets {
  readonly offsets: Int32Array;
  readonly first: number;
}

/**
 * Reads and checks offsets.
 * @param limit number of values that the offsets point to.
 * @param what name of these values in messages: `text … bytes`.
 * @throws {BufferProblem} where they decrease, point beyond `limit`, or span 2^31 values.
 */
export function getCheckedOffsets(
  { valueOffsets, length }: Data,
  limit: number,
  [what, unit]: readonly [string, string],
): Offsets {
  if (length === 0) return { offsets: new Int32Array(1), first: 0 };
  const given: unknown = valueOffsets;
  const width = ArrayBuffer.isView(given) && given.byteLength > 0 ? (viewOf(given)?.BYTES_PER_ELEMENT ?? 0) : 4;
  const bytes = getBufferBytes(given);
  if ((width !== 4 && width !== 8) || bytes.length < width * (length + 1)) {
    throw new BufferProblem(`should have ${length + 1} offsets`);
  }
  const all = width === 4 ? viewLike(new Int32Array(), bytes) : viewLike(new BigInt64Array(), bytes);
  const first = Number(all[0]);
  let before = first;
  if (before < 0) throw new BufferProblem(`has the offset ${before}`);
  for (let i = 1; i <= length; i++) {
    const offset = Number(all[i]);
    if (offset < before) throw new BufferProblem(`has the offset ${offset} behind ${before}`);
    before = offset;
  }
  if (before > limit) throw new BufferProblem(`has the offset ${before}, its ${what} ${limit} ${unit}`);
  if (before - first > 2 ** 31 - 1) {
    throw new BufferProblem(
      `has ${before - first} values in one batch, at most 2^31 - 1 are taken: use smaller batches`,
    );
  }
  if (all instanceof Int32Array && first === 0) return { offsets: all.subarray(0, length + 1), first };
  const offsets = new Int32Array(length + 1);
  for (let i = 0; i <= length; i++) offsets[i] = Number(all[i]) - first;
  return { offsets, first };
}

/** Bytes of one view, and maximum length of a text that is stored in the view itself. */
const VIEW_BYTES = 16;
const INLINE_BYTES = 12;

/** Joins texts that are stored in several buffers, or in the views themselves. */
export function joinViewTexts(
  data: Data,
  validity: Validity | null,
): { readonly offsets: Int32Array; readonly bytes: Uint8Array } {
  const { length } = data;
  const views = getBufferBytes(data.values);
  if (views.length < VIEW_BYTES * length) {
    throw new BufferProblem(`should have ${length} views of ${VIEW_BYTES} bytes, there are ${views.length} bytes`);
  }
  const given: unknown = data.variadicBuffers;
  const buffers = Array.isArray(given) ? given.map(getBufferBytes) : [];
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  const isThere = (i: number) => validity === null || ((validity.bitmap[i >> 3] >> (i & 7)) & 1) === 1;
  const offsets = new Int32Array(length + 1);
  const places = new Map<number, Uint8Array>();
  let total = 0;
  for (let i = 0; i < length; i++) {
    const size = isThere(i) ? view.getInt32(VIEW_BYTES * i, true) : 0;
    if (size < 0) throw new BufferProblem(`has a text of ${size} bytes at ${i}`);
    if (size > INLINE_BYTES) places.set(i, textAt(view, VIEW_BYTES * i, size, buffers));
    total += size;
    if (total > 2 ** 31 - 1) {
      throw new BufferProblem("has more than 2^31 - 1 bytes of text in one batch: use smaller batches");
    }
    offsets[i + 1] = total;
  }
  const bytes = new Uint8Array(total);
  for (let i = 0; i < length; i++) {
    const inline = VIEW_BYTES * i + 4;
    bytes.set(places.get(i) ?? views.subarray(inline, inline + offsets[i + 1] - offsets[i]), offsets[i]);
  }
  return { offsets, bytes };
}

function textAt(view: DataView, at: number, size: number, buffers: readonly Uint8Array[]): Uint8Array {
  const [index, start] = [view.getInt32(at + 8, true), view.getInt32(at + 12, true)];
  const buffer = buffers[index];
  if (buffer === undefined) throw new BufferProblem(`has text in buffer ${index} of ${buffers.length}`);
  if (start < 0 || start + size > buffer.length) {
    throw new BufferProblem(`has text up to byte ${start + size} of a buffer of ${buffer.length}`);
  }
  return buffer.subarray(start, start + size);
}
