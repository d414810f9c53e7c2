/**
 * Converts apache-arrow's schemas and batches of flat types to plain fields and columns. This is the inverse of
 * `apache.ts`. Types are recognized by their ids, and values by their layout, because the objects may come from another
 * copy of the library.
 */

import {
  type Data,
  DataType,
  DateUnit,
  type Field,
  Precision,
  type RecordBatch,
  TimeUnit,
  type Vector,
} from "apache-arrow";
import { countSet } from "../../kernels/parquet/bit-ranges.js";
import { findOutOfRangeIndex } from "../../kernels/sparse/indices.js";
import { getBitmapByteLength, type Validity } from "../../kernels/values/bitmap.js";
import { InvalidInputError } from "../../model/errors.js";
import { type NumberArray, viewAsBytes, viewLike } from "../../model/stored.js";
import { type Column, type DictionaryColumn, emptyNumbers, type UnionColumn } from "../column.js";
import { joinColumns } from "../join.js";
import { sliceBits } from "../take.js";
import { type ArrowIndex, type ArrowType, DATE, type SchemaField, type TimestampUnit } from "../type.js";

// Reads and checks the buffers of apache-arrow's `Data`. They come from the caller, and perhaps from another copy of
// the library. When apache-arrow makes a slice, it slices values and offsets, but addresses bits by `offset`.

/** A problem with a buffer. The caller adds the column's name, which is not known here. */
class BufferProblem extends Error {}

/** Returns a column's values as a typed array with at least one value per row. */
function getDataNumbers({ values, length }: Data, type: ArrowType): NumberArray {
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
function getBufferBytes(buffer: unknown): Uint8Array {
  return ArrayBuffer.isView(buffer)
    ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    : new Uint8Array(0);
}

/** Returns booleans with an offset of 0 bits. */
function alignBooleanBits({ values, offset, length }: Data): Uint8Array {
  const bits = getBufferBytes(values);
  if (8 * bits.length < offset + length) {
    throw new BufferProblem(`should have ${offset + length} booleans, there are ${8 * bits.length}`);
  }
  return sliceBits(bits, offset, length);
}

/** Returns a column's validity. Nulls are counted again, since the given count may be wrong or unknown. */
function computeDataValidity(data: Data): Validity | null {
  const { nullCount, nullBitmap, offset, length } = data;
  const bits = getBufferBytes(nullBitmap);
  // If values have no bitmap, the null count of a slice is unknown.
  if (nullCount === 0 || length === 0 || (nullCount < 0 && bits.length === 0)) return null;
  if (8 * bits.length < offset + length) {
    throw new BufferProblem(`has ${nullCount} nulls, and ${8 * bits.length} bits that say which of ${offset + length}`);
  }
  const bitmap = sliceBits(bits, offset, length);
  const missing = length - countSet(bitmap, 0, length);
  return missing === 0 ? null : { bitmap: bitmap.subarray(0, getBitmapByteLength(length)), nullCount: missing };
}

/** Offsets of lists or texts, which start at 0, and the position of the first value. 64-bit offsets are narrowed. */
interface Offsets {
  readonly offsets: Int32Array;
  readonly first: number;
}

/**
 * Reads and checks offsets.
 * @param limit number of values to which the offsets point.
 * @param what name of these values in messages, such as `text … bytes`.
 * @throws {BufferProblem} if they decrease, point beyond `limit`, or span 2^31 values.
 */
function getCheckedOffsets(
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

/** Bytes per view, and maximum length in bytes of a text that is stored in the view itself. */
const VIEW_BYTES = 16;
const INLINE_BYTES = 12;

/** Joins texts that are stored in several buffers, or in the views themselves. */
function joinViewTexts(
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

/**
 * Converts `field` to plain data. Null for nested types, and for types without a plain form: dates in milliseconds,
 * time zones, and large text.
 */
export function toSchemaField(field: Field): SchemaField | null {
  const type = toArrowType(field.type);
  return type === null ? null : { name: field.name, type, nullable: field.nullable, stored: field.metadata };
}

/** Converts a flat type to a serializable type; null for other types. */
export function toArrowType(type: DataType): ArrowType | null {
  if (DataType.isNull(type)) return { id: "Null" };
  if (DataType.isBool(type)) return { id: "Bool" };
  if (DataType.isInt(type)) return { id: "Int", bits: type.bitWidth, signed: type.isSigned };
  if (DataType.isFloat(type)) return { id: "Float", bits: floatBits(type.precision) };
  if (DataType.isUtf8(type)) return { id: "Utf8" };
  if (DataType.isBinary(type)) return { id: "Binary" };
  if (DataType.isFixedSizeBinary(type)) return { id: "FixedSizeBinary", width: type.byteWidth };
  // An empty text means no time zone.
  if (DataType.isTimestamp(type)) return type.timezone ? null : { id: "Timestamp", unit: toTimestampUnit(type.unit) };
  if (DataType.isDate(type)) return type.unit === DateUnit.DAY ? DATE : null;
  if (DataType.isDuration(type)) return { id: "Duration", unit: toTimestampUnit(type.unit) };
  if (!DataType.isDictionary(type)) return null;
  const value = toArrowType(type.dictionary);
  const index = indexOf(type.indices);
  if (value === null || value.id === "Dictionary" || index === null) return null;
  return { id: "Dictionary", index, value, ordered: type.isOrdered };
}

function indexOf(type: DataType): ArrowIndex | null {
  if (!DataType.isInt(type) || type.bitWidth === 64) return null;
  return { id: "Int", bits: type.bitWidth, signed: type.isSigned };
}

function floatBits(precision: Precision): 16 | 32 | 64 {
  switch (precision) {
    case Precision.HALF:
      return 16;
    case Precision.SINGLE:
      return 32;
    case Precision.DOUBLE:
      return 64;
    default:
      return precision satisfies never;
  }
}

export function toTimestampUnit(unit: TimeUnit): TimestampUnit {
  switch (unit) {
    case TimeUnit.SECOND:
      return "s";
    case TimeUnit.MILLISECOND:
      return "ms";
    case TimeUnit.MICROSECOND:
      return "us";
    case TimeUnit.NANOSECOND:
      return "ns";
    default:
      return unit satisfies never;
  }
}

/**
 * Converts the columns of `batch`. If possible, the columns share the memory of its buffers.
 * @param types the type of each column, in the layout of the batch.
 * @throws {InvalidInputError} if a buffer is missing or too short, or offsets or indices are out of range.
 */
export function toColumns(batch: RecordBatch, types: readonly ArrowType[]): Column[] {
  return types.map((type, i) => {
    try {
      return toColumnOfType(sized(childOf(batch.data, i), batch.numRows), type);
    } catch (error) {
      if (!(error instanceof BufferProblem)) throw error;
      throw new InvalidInputError(`the column ${batch.schema.fields[i].name} ${error.message}`);
    }
  });
}

/** Converts `data` to a column of `type`, which is the serializable form of its type. */
export function toColumnOfType(data: Data, type: ArrowType): Column {
  const { length } = data;
  switch (type.id) {
    case "Null":
      return { layout: "null", type, length, validity: null };
    case "Bool":
      return { layout: "primitive", type, length, validity: computeDataValidity(data), values: alignBooleanBits(data) };
    case "Int":
    case "Float":
    case "FixedSizeBinary":
    case "Date32":
    case "Timestamp":
    case "Duration":
      return {
        layout: "primitive",
        type,
        length,
        validity: computeDataValidity(data),
        values: getDataNumbers(data, type),
      };
    case "Utf8":
    case "Binary": {
      const validity = computeDataValidity(data);
      if (DataType.isUtf8View(data.type) || DataType.isBinaryView(data.type)) {
        return { layout: "variable", type, length, validity, ...joinViewTexts(data, validity) };
      }
      const bytes = getBufferBytes(data.values);
      const { offsets, first } = getCheckedOffsets(data, bytes.length, ["text", "bytes"]);
      return {
        layout: "variable",
        type,
        length,
        validity,
        offsets,
        bytes: first === 0 ? bytes : bytes.subarray(first),
      };
    }
    case "List": {
      const child = childOf(data, 0);
      const { offsets, first } = getCheckedOffsets(data, child.length, ["lists", "values"]);
      const inner = child.slice(first, offsets[length]);
      return {
        layout: "list",
        type,
        length,
        validity: computeDataValidity(data),
        offsets,
        child: toColumnOfType(inner, type.item.type),
      };
    }
    case "FixedSizeList": {
      const child = sized(childOf(data, 0), length * type.size);
      return {
        layout: "fixed-size-list",
        type,
        length,
        validity: computeDataValidity(data),
        child: toColumnOfType(child, type.item.type),
      };
    }
    case "Struct": {
      const children = type.fields.map((one, i) => toColumnOfType(sized(childOf(data, i), length), one.type));
      return { layout: "struct", type, length, validity: computeDataValidity(data), children };
    }
    case "Dictionary":
      return dictionaryColumn(data, type);
    case "DenseUnion":
      return unionColumn(data, type, toColumnOfType);
    default:
      return type satisfies never;
  }
}

function childOf({ children }: Data, i: number): Data {
  const child = children[i];
  if (child === undefined) throw new BufferProblem(`has ${children.length} children, ${i + 1} are needed`);
  return child;
}

/** Returns the first `length` rows of a child. */
function sized(child: Data, length: number): Data {
  if (child.length < length) throw new BufferProblem(`has a child of ${child.length} rows, ${length} are needed`);
  return child.length === length ? child : child.slice(0, length);
}

/**
 * Converts a dictionary column. 64-bit indices are narrowed, because they lie within a dictionary of fewer than 2^31
 * values.
 */
function dictionaryColumn(data: Data, type: Extract<ArrowType, { id: "Dictionary" }>): DictionaryColumn {
  const { length } = data;
  const validity = computeDataValidity(data);
  const dictionary = dictionaryOf(data.dictionary, type.value);
  // The types in apache-arrow do not include 64-bit indices, but its reader creates such indices.
  const index: { readonly bitWidth: number; readonly isSigned: boolean } | null = DataType.isDictionary(data.type)
    ? data.type.indices
    : null;
  const wide = index?.bitWidth === 64;
  const given = getDataNumbers(data, wide ? { id: "Int", bits: 64, signed: index.isSigned } : type.index);
  const indices = wide ? new Int32Array(length) : given;
  const outside = (i: number) =>
    new BufferProblem(`has the index ${given[i]} at ${i}, its dictionary ${dictionary.length} values`);
  if (validity === null && (given instanceof Int32Array || given instanceof Uint32Array)) {
    const wrong = findOutOfRangeIndex(given.subarray(0, length), dictionary.length);
    if (wrong >= 0) throw outside(wrong);
    return { layout: "dictionary", type, length, validity, indices, dictionary };
  }
  for (let i = 0; i < length; i++) {
    if (validity !== null && ((validity.bitmap[i >> 3] >> (i & 7)) & 1) === 0) continue;
    if (!(given[i] >= 0 && given[i] < dictionary.length)) throw outside(i);
    if (wide) indices[i] = Number(given[i]);
  }
  return { layout: "dictionary", type, length, validity, indices, dictionary };
}

/** Converted dictionaries, one column per vector. Batches that share a dictionary get the same column object. */
const dictionaries = new WeakMap<Vector, Column>();

/** Converts a dictionary, which consists of several chunks if it has grown. */
function dictionaryOf(vector: Vector | undefined, type: ArrowType): Column {
  if (vector === undefined) throw new BufferProblem("has no dictionary");
  const known = dictionaries.get(vector);
  if (known !== undefined) return known;
  const parts = vector.data.map((data) => toColumnOfType(data, type));
  if (parts.length === 0) throw new BufferProblem("has a dictionary without values or type");
  const made = joinColumns(parts);
  dictionaries.set(vector, made);
  return made;
}

type UnionType = Extract<ArrowType, { id: "DenseUnion" }>;

/**
 * Converts a union.
 * @param convert converts a child to a column.
 * @throws {BufferProblem} for a type id that is not in the union, or an offset outside its child.
 */
export function unionColumn(
  data: Data,
  type: UnionType,
  convert: (child: Data, type: ArrowType) => Column,
): UnionColumn {
  const { length, children } = data;
  if (children.length !== type.fields.length) {
    throw new BufferProblem(`has ${children.length} children, ${type.fields.length} are needed`);
  }
  const typeIds = positionsOf(data, type.fields.length);
  const places = placesOf(data);
  const first = children.map(() => Number.POSITIVE_INFINITY);
  const last = children.map(() => -1);
  for (let i = 0; i < length; i++) {
    const [id, place] = [typeIds[i], places === null ? i : places[i]];
    if (!(place >= 0 && place < children[id].length)) {
      throw new BufferProblem(`has the offset ${place} at ${i}, its child ${children[id].length} rows`);
    }
    if (place < first[id]) first[id] = place;
    if (place > last[id]) last[id] = place;
  }
  // A slice of a union retains its complete children, so they are cut here.
  const used = children.map((child, id) => {
    const start = last[id] < 0 ? 0 : first[id];
    return convert(child.slice(start, last[id] + 1 - start), type.fields[id].type);
  });
  const offsets = Int32Array.from(typeIds, (id, i) => (places === null ? i : places[i]) - first[id]);
  return { layout: "union", type, length, validity: null, typeIds, offsets, children: used };
}

/** Returns, for each row, the index of its child among the union's children. */
function positionsOf(data: Data, kinds: number): Int8Array {
  const { type, length } = data;
  const given = viewLike(new Int8Array(), getBufferBytes(data.typeIds));
  if (given.length < length) throw new BufferProblem(`should have ${length} type ids, there are ${given.length}`);
  const ids: readonly number[] = DataType.isUnion(type) ? Array.from(type.typeIds, Number) : [];
  const positions = new Map(ids.slice(0, kinds).map((id, position) => [id, position]));
  const out = new Int8Array(length);
  for (let i = 0; i < length; i++) {
    const position = positions.get(Number(given[i]));
    if (position === undefined) throw new BufferProblem(`has the type id ${given[i]} at ${i}, not among ${ids}`);
    out[i] = position;
  }
  return out;
}

/** Returns, for each row, its index within its child; null if these indices equal the row numbers. */
function placesOf({ type, length, valueOffsets }: Data): Int32Array | null {
  if (!DataType.isDenseUnion(type)) return null;
  const places = viewLike(new Int32Array(), getBufferBytes(valueOffsets));
  if (places.length < length) throw new BufferProblem(`should have ${length} offsets, there are ${places.length}`);
  return places instanceof Int32Array ? places : null;
}
