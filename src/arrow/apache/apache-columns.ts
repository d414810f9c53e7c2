/**
 * Converts apache-arrow's schemas and batches to plain fields and columns, the inverse of `apache.ts`, for flat types.
 * Types are recognized by their ids and values by their layout: the objects may come from another copy of the library.
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
import { findOutOfRangeIndex } from "../../kernels/sparse/indices.js";
import { InvalidInputError } from "../../model/errors.js";
import { viewLike } from "../../model/stored.js";
import type { Column, DictionaryColumn, UnionColumn } from "../column.js";
import { joinColumns } from "../join.js";
import { type ArrowIndex, type ArrowType, DATE, type SchemaField, type TimestampUnit } from "../type.js";
import {
  alignBooleanBits,
  BufferProblem,
  computeDataValidity,
  getBufferBytes,
  getCheckedOffsets,
  getDataNumbers,
  joinViewTexts,
} from "./apache-buffers.js";

/**
 * Converts `field` to plain data; null for nested types, and for types that have no plain form: dates in
 * milliseconds, time zones, large text.
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
 * Converts the columns of `batch`, in the memory of its buffers where that is possible.
 * @param types the type of each column, in the layout of the batch.
 * @throws {InvalidInputError} where a buffer is missing or too short, or offsets or indices are out of range.
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

/** Converts `data` to a column of `type`, the serializable form of its type. */
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
 * Converts a dictionary column. Indices of 64 bits are narrowed: each lies within the dictionary, which has less than
 * 2^31 values.
 */
function dictionaryColumn(data: Data, type: Extract<ArrowType, { id: "Dictionary" }>): DictionaryColumn {
  const { length } = data;
  const validity = computeDataValidity(data);
  const dictionary = dictionaryOf(data.dictionary, type.value);
  // apache-arrow's types have no 64-bit indices, but its reader makes them.
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

/** Converted dictionaries, one column per vector. Identity shows that batches share a dictionary. */
const dictionaries = new WeakMap<Vector, Column>();

/** Converts a dictionary, which consists of several chunks if it grew. */
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
 * @throws {BufferProblem} for a type id that the union does not have, and an offset outside of its child.
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
  // A slice of a union keeps its whole children, so these are cut here.
  const used = children.map((child, id) => {
    const start = last[id] < 0 ? 0 : first[id];
    return convert(child.slice(start, last[id] + 1 - start), type.fields[id].type);
  });
  const offsets = Int32Array.from(typeIds, (id, i) => (places === null ? i : places[i]) - first[id]);
  return { layout: "union", type, length, validity: null, typeIds, offsets, children: used };
}

/** Returns the index of each row's child among the children of the union. */
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

/** Returns the index of each row within its child; null if it equals the row's own index. */
function placesOf({ type, length, valueOffsets }: Data): Int32Array | null {
  if (!DataType.isDenseUnion(type)) return null;
  const places = viewLike(new Int32Array(), getBufferBytes(valueOffsets));
  if (places.length < length) throw new BufferProblem(`should have ${length} offsets, there are ${places.length}`);
  return places instanceof Int32Array ? places : null;
}
