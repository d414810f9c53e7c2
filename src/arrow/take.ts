/** Takes rows of a column, either by their positions or as a range. */

import { appendBits } from "../kernels/parquet/bit-ranges.js";
import { PageBuffer } from "../kernels/parquet/page-buffer.js";
import { computeValidity, getBitmapByteLength, isBitSet, type Validity } from "../kernels/values/bitmap.js";
import { takeElements, takeVariable } from "../kernels/values/take-elements.js";
import { UnsupportedError } from "../model/errors.js";
import { viewAsBytes } from "../model/stored.js";
import type { Column, UnionColumn } from "./column.js";

/** Maximum number of values below one column, because filling a null with a long list costs the caller nothing. */
const MAX_VALUES = 2 ** 30;

/** Takes the rows of `column` at the indices `places`, which must be in range; -1 becomes a null. */
export function takeColumn(column: Column, places: Int32Array): Column {
  const { length } = places;
  const own = column.validity?.bitmap ?? null;
  // In the usual case, without nulls, no function is called per row.
  const isFull = own === null && !hasNegative(places);
  const validity = isFull
    ? null
    : computeValidity(length, (i) => places[i] >= 0 && (own === null || isBitSet(own, places[i])));
  switch (column.layout) {
    case "null":
      return { ...column, length };
    case "primitive":
      switch (column.type.id) {
        case "Bool":
          return { ...column, length, validity, values: takeBits(viewAsBytes(column.values), places) };
        case "FixedSizeBinary":
          return { ...column, length, validity, values: takeElements(column.values, places, column.type.width) };
        default:
          return { ...column, length, validity, values: takeElements(column.values, places, 1) };
      }
    case "variable": {
      const { offsets, bytes } = takeVariable(column, places, checkCount);
      return { ...column, length, validity, offsets, bytes };
    }
    case "list": {
      const { offsets } = column;
      const [taken, inner] = lists(
        places,
        (place) => offsets[place],
        (place) => offsets[place + 1],
      );
      return { ...column, length, validity, offsets: taken, child: takeColumn(column.child, inner) };
    }
    case "fixed-size-list": {
      const { size } = column.type;
      checkCount(length * size);
      const inner = new Int32Array(length * size);
      for (let i = 0; i < length; i++) {
        for (let k = 0; k < size; k++) inner[i * size + k] = places[i] < 0 ? -1 : places[i] * size + k;
      }
      return { ...column, length, validity, child: takeColumn(column.child, inner) };
    }
    case "struct":
      return { ...column, length, validity, children: column.children.map((child) => takeColumn(child, places)) };
    case "dictionary":
      return { ...column, length, validity, indices: takeElements(column.indices, places, 1) };
    case "union":
      return takeUnion(column, places);
    default:
      return column satisfies never;
  }
}

function hasNegative(places: Int32Array): boolean {
  let signs = 0;
  for (let i = 0; i < places.length; i++) signs |= places[i];
  return signs < 0;
}

/** Returns rows [start, end) of a column without copying, except for bitmaps. */
export function sliceColumn(column: Column, start: number, end: number): Column {
  const length = end - start;
  if (start === 0 && length === column.length) return column;
  const validity = sliceValidity(column.validity, start, length);
  switch (column.layout) {
    case "null":
      return { ...column, length };
    case "primitive":
      switch (column.type.id) {
        case "Bool":
          return { ...column, length, validity, values: sliceBits(viewAsBytes(column.values), start, length) };
        case "FixedSizeBinary": {
          const { width } = column.type;
          return { ...column, length, validity, values: column.values.subarray(start * width, end * width) };
        }
        default:
          return { ...column, length, validity, values: column.values.subarray(start, end) };
      }
    case "variable":
    case "list":
      return { ...column, length, validity, offsets: column.offsets.subarray(start, end + 1) };
    case "fixed-size-list": {
      const { size } = column.type;
      return { ...column, length, validity, child: sliceColumn(column.child, start * size, end * size) };
    }
    case "struct":
      return { ...column, length, validity, children: column.children.map((child) => sliceColumn(child, start, end)) };
    case "dictionary":
      return { ...column, length, validity, indices: column.indices.subarray(start, end) };
    case "union": {
      const [typeIds, offsets] = [column.typeIds.subarray(start, end), column.offsets.subarray(start, end)];
      return { ...column, length, validity, typeIds, offsets };
    }
    default:
      return column satisfies never;
  }
}

/** Returns `length` bits starting at bit `offset`, aligned to the first bit of a byte. */
export function sliceBits(bits: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset % 8 === 0) return bits.subarray(offset >> 3);
  const out = new PageBuffer(getBitmapByteLength(length));
  appendBits([{ bits, offset, length }], out);
  return out.written();
}

function sliceValidity(validity: Validity | null, start: number, length: number): Validity | null {
  if (validity === null) return null;
  return computeValidity(length, (i) => isBitSet(validity.bitmap, start + i));
}

function takeBits(bits: Uint8Array, places: Int32Array): Uint8Array {
  const out = new Uint8Array(getBitmapByteLength(places.length));
  for (let i = 0; i < places.length; i++) {
    if (places[i] >= 0 && isBitSet(bits, places[i])) out[i >> 3] |= 1 << (i & 7);
  }
  return out;
}

function lists(
  places: Int32Array,
  start: (place: number) => number,
  end: (place: number) => number,
): [offsets: Int32Array, inner: Int32Array] {
  const offsets = new Int32Array(places.length + 1);
  let total = 0;
  for (let i = 0; i < places.length; i++) {
    if (places[i] >= 0) total += end(places[i]) - start(places[i]);
    checkCount(total);
    offsets[i + 1] = total;
  }
  const inner = new Int32Array(total);
  for (let i = 0; i < places.length; i++) {
    const first = places[i] < 0 ? 0 : start(places[i]);
    for (let k = offsets[i]; k < offsets[i + 1]; k++) inner[k] = first + k - offsets[i];
  }
  return [offsets, inner];
}

/** Takes rows of a union. A null becomes a null in the first child, as elsewhere in this library. */
function takeUnion(column: UnionColumn, places: Int32Array): UnionColumn {
  const counts = new Int32Array(column.children.length);
  const typeIds = Int8Array.from(places, (place) => (place < 0 ? 0 : column.typeIds[place]));
  const offsets = Int32Array.from(typeIds, (id) => counts[id]++);
  const children = column.children.map((child, id) => {
    const inner = new Int32Array(counts[id]);
    for (let i = 0; i < places.length; i++) {
      if (typeIds[i] === id) inner[offsets[i]] = places[i] < 0 ? -1 : column.offsets[places[i]];
    }
    return takeColumn(child, inner);
  });
  return { ...column, length: places.length, typeIds, offsets, children };
}

function checkCount(count: number): void {
  if (count <= MAX_VALUES) return;
  throw new UnsupportedError(`${count} values below the rows of one batch, at most ${MAX_VALUES}: use smaller batches`);
}
