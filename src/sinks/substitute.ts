/**
 * Replaces types that an engine does not support with types that it supports, at any depth in a schema, and converts
 * the data. A sink provides the rule for a single type; this file applies it to lists, structs and dictionaries.
 */

import {
  Data,
  DataType,
  Dictionary,
  Field,
  FixedSizeList,
  Float32,
  LargeList,
  List,
  Map_,
  makeData,
  Precision,
  type RecordBatch,
  Schema,
  Struct,
  Vector,
} from "apache-arrow";
import { InvalidInputError } from "../model/errors.js";
import { recordBatch } from "../tables/record-batch.js";

/** A replacement for a type, and the function that converts its data. Length and nulls remain unchanged. */
export interface Substitute {
  readonly type: DataType;
  readonly data: (data: Data) => Data;
}

/** Returns the substitute for `type` itself, not for its children; null if there is none. */
export type SubstitutionRule = (type: DataType) => Substitute | null;

export interface Substitution {
  readonly schema: Schema;
  readonly batch: (batch: RecordBatch) => RecordBatch;
}

/** Applies the rule to all fields of `schema`; returns null if nothing changes. */
export function findSubstitution(schema: Schema, rule: SubstitutionRule): Substitution | null {
  const substitutes = schema.fields.map((field) => findSubstitute(field.type, rule));
  if (substitutes.every((substitute) => substitute === null)) return null;
  const fields = schema.fields.map((field, i) => withType(field, substitutes[i] ?? null));
  const after = new Schema(fields, schema.metadata);
  return {
    schema: after,
    batch(batch) {
      const children = batch.data.children.map((child, i) => substitutes[i]?.data(child) ?? child);
      return recordBatch(after, batch.numRows, children);
    },
  };
}

/** Applies the rule to `type` and the types within it. */
function findSubstitute(type: DataType, rule: SubstitutionRule): Substitute | null {
  const own = rule(type);
  if (own !== null) return own;
  if (DataType.isDictionary(type)) return dictionarySubstitute(type, rule);
  const children = nestedFields(type);
  const substitutes = children.map((field) => findSubstitute(field.type, rule));
  if (substitutes.every((substitute) => substitute === null)) return null;
  const after = nestedType(
    type,
    children.map((field, i) => withType(field, substitutes[i] ?? null)),
  );
  return {
    type: after,
    data: (data) =>
      new Data(
        after,
        data.offset,
        data.length,
        data.nullCount,
        data.buffers,
        data.children.map((child, i) => substitutes[i]?.data(child) ?? child),
      ),
  };
}

/** Returns the fields of a list, struct or map; empty for unions, which no sink with a rule accepts. */
function nestedFields(type: DataType): readonly Field[] {
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type)) return type.children;
  if (DataType.isStruct(type) || DataType.isMap(type)) return type.children;
  return [];
}

function nestedType(type: DataType, fields: readonly Field[]): DataType {
  const [first] = fields;
  if (first !== undefined) {
    if (DataType.isList(type)) return new List(first);
    if (DataType.isLargeList(type)) return new LargeList(first);
    if (DataType.isFixedSizeList(type)) return new FixedSizeList(type.listSize, first);
    if (DataType.isMap(type)) return new Map_(first, type.keysSorted);
  }
  return new Struct([...fields]);
}

function withType(field: Field, substitute: Substitute | null): Field {
  return substitute === null ? field : new Field(field.name, substitute.type, field.nullable, field.metadata);
}

/**
 * Replaces the type of a dictionary's values. All batches in a stream share one dictionary object, so it is converted
 * only once.
 */
function dictionarySubstitute(type: Dictionary, rule: SubstitutionRule): Substitute | null {
  const values = findSubstitute(type.dictionary, rule);
  if (values === null) return null;
  const after = new Dictionary(values.type, type.indices, type.id, type.isOrdered);
  const made = new WeakMap<Vector, Vector>();
  const dictionaryOf = (vector: Vector): Vector => {
    const known = made.get(vector);
    if (known !== undefined) return known;
    const fresh = new Vector(vector.data.map((chunk) => values.data(chunk)));
    made.set(vector, fresh);
    return fresh;
  };
  return {
    type: after,
    data: (data) => {
      const dictionary = data.dictionary === undefined ? undefined : dictionaryOf(data.dictionary);
      return new Data(after, data.offset, data.length, data.nullCount, data.buffers, [], dictionary);
    },
  };
}

/** Replaces half precision with Float32, which represents every value exactly. */
export function substituteHalfFloat(type: DataType): Substitute | null {
  const isHalf = DataType.isFloat(type) && type.precision === Precision.HALF;
  return isHalf ? { type: new Float32(), data: widened } : null;
}

/** Replaces lists of the fixed size 0 with lists of variable size. */
export function emptyListAsList(type: DataType): Substitute | null {
  if (!DataType.isFixedSizeList(type) || type.listSize !== 0) return null;
  const after = new List(type.children[0]);
  return {
    type: after,
    data: ({ offset, length, nullCount, nullBitmap, children: [child] }) => {
      const valueOffsets = new Int32Array(length + 1);
      return makeData({ type: after, offset, length, nullCount, nullBitmap, valueOffsets, child });
    },
  };
}

/** Reinterprets values as another type of the same width. Their bytes remain unchanged. */
export function substituteSameWidth(type: DataType): Substitute {
  return { type, data: (data) => new Data(type, data.offset, data.length, data.nullCount, data.buffers) };
}

function widened(data: Data): Data {
  const halves: Uint16Array = data.values;
  const values = new Float32Array(data.length);
  const bits = new Uint32Array(values.buffer);
  for (let i = 0; i < data.length; i++) bits[i] = singleBits(halves[i]);
  const { offset, length, nullCount } = data;
  return makeData({ type: new Float32(), offset, length, nullCount, nullBitmap: data.nullBitmap, data: values });
}

/** Converts the bits of a binary16 number to those of a binary32 number. NaN payloads are preserved. */
function singleBits(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return sign | 0x7f800000 | (fraction << 13);
  if (exponent !== 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  if (fraction === 0) return sign;
  const shift = Math.clz32(fraction) - 21;
  return sign | ((113 - shift) << 23) | (((fraction << shift) & 1023) << 13);
}

/** Replaces a dictionary of fixed-width values (Bool, numbers, times, fixed-size binary) with the values themselves. */
export function substituteDictionary(type: Dictionary): Substitute {
  const values = type.dictionary;
  return { type: values, data: (data) => (DataType.isBool(values) ? takeBits(data, values) : takeBytes(data, values)) };
}

/** Returns the dictionary's values as one column. Rejects a dictionary that has several chunks. */
function dictionaryOf(data: Data): Data {
  const chunks = data.dictionary?.data ?? [];
  const [first] = chunks;
  if (first === undefined || chunks.length > 1) throw new InvalidInputError("a dictionary column has no dictionary");
  return first;
}

function takeBits(data: Data, type: DataType): Data {
  const dictionary = dictionaryOf(data);
  const bits = new Uint8Array((data.length + 7) >> 3);
  const taken = taking(data, dictionary, (i, key) => {
    const at = dictionary.offset + key;
    if (((dictionary.values[at >> 3] >> (at & 7)) & 1) === 1) bits[i >> 3] |= 1 << (i & 7);
  });
  return new Data(type, 0, data.length, taken.nullCount, [undefined, bits, taken.nullBitmap]);
}

function takeBytes(data: Data, type: DataType): Data {
  const dictionary = dictionaryOf(data);
  const { values, stride } = dictionary;
  const out = new values.constructor(data.length * stride);
  const taken = taking(data, dictionary, (i, key) => {
    for (let k = 0; k < stride; k++) out[i * stride + k] = values[key * stride + k];
  });
  return new Data(type, 0, data.length, taken.nullCount, [undefined, out, taken.nullBitmap]);
}

/** Calls `take` for every row that has a value. @returns the rows' validity. */
function taking(data: Data, dictionary: Data, take: (row: number, key: number) => void) {
  const nullBitmap = new Uint8Array((data.length + 7) >> 3);
  let nullCount = 0;
  for (let i = 0; i < data.length; i++) {
    const key = data.getValid(i) ? Number(data.values[i]) : -1;
    if (key >= 0 && dictionary.getValid(key)) {
      nullBitmap[i >> 3] |= 1 << (i & 7);
      take(i, key);
    } else nullCount++;
  }
  return { nullBitmap, nullCount };
}
