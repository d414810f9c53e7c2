/**
 * apache-arrow's schemas and batches as plain fields and columns, the way back of `apache.ts`, for flat types. Types are
 * told by their ids and values by their layout: the objects may come from another copy of the library.
 */

import { type Data, DataType, type Field, Precision, type RecordBatch, TimeUnit, type Vector } from "apache-arrow";
import { InvalidInputError } from "../errors.js";
import { bitmapBytes, type Validity } from "../kernels/bitmap.js";
import { appendBits } from "../kernels/parquet/bit-runs.js";
import { PageBuffer } from "../kernels/parquet/page-buffer.js";
import { bytesOf, type NumberArray, zerosLike } from "../stored.js";
import type { Column, DictionaryColumn, PrimitiveColumn, VariableColumn } from "./column.js";
import type { SchemaField } from "./schema-message.js";
import type { ArrowIndex, ArrowType, TimestampUnit } from "./type.js";

/** `field` as plain data; null for nested types, and for what plain types do not know: dates, time zones, large text. */
export function plainField(field: Field): SchemaField | null {
  const type = plainType(field.type);
  return type === null ? null : { name: field.name, type, nullable: field.nullable, stored: field.metadata };
}

function plainType(type: DataType): ArrowType | null {
  if (DataType.isNull(type)) return { id: "Null" };
  if (DataType.isBool(type)) return { id: "Bool" };
  if (DataType.isInt(type)) return { id: "Int", bits: type.bitWidth, signed: type.isSigned };
  if (DataType.isFloat(type)) return { id: "Float", bits: floatBits(type.precision) };
  if (DataType.isUtf8(type)) return { id: "Utf8" };
  if (DataType.isBinary(type)) return { id: "Binary" };
  if (DataType.isFixedSizeBinary(type)) return { id: "FixedSizeBinary", width: type.byteWidth };
  // An empty zone is none.
  if (DataType.isTimestamp(type)) return type.timezone ? null : { id: "Timestamp", unit: unitOf(type.unit) };
  if (DataType.isDuration(type)) return { id: "Duration", unit: unitOf(type.unit) };
  if (!DataType.isDictionary(type)) return null;
  const value = plainType(type.dictionary);
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

export function unitOf(unit: TimeUnit): TimestampUnit {
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
 * The columns of `batch`, in the memory of its buffers where that is possible.
 * @param types one for each column, of the layout that the batch has.
 * @throws {InvalidInputError} where a buffer is missing, too short, or offsets point outside of the bytes.
 */
export function plainColumns(batch: RecordBatch, types: readonly ArrowType[]): Column[] {
  return types.map((type, i) => {
    try {
      return plainColumn(batch.data.children[i], type);
    } catch (error) {
      if (!(error instanceof BufferProblem)) throw error;
      throw new InvalidInputError(`the column ${batch.schema.fields[i].name} ${error.message}`);
    }
  });
}

/** Caught in this file, to say which column has it. */
class BufferProblem extends Error {}

function plainColumn(data: Data, type: ArrowType): Column {
  const { length } = data;
  switch (type.id) {
    case "Null":
      return { layout: "null", type, length, validity: null };
    case "Bool":
      return { layout: "primitive", type, length, validity: validityOf(data), values: alignedBits(data) };
    case "Int":
    case "Float":
    case "FixedSizeBinary":
    case "Timestamp":
    case "Duration":
      return { layout: "primitive", type, length, validity: validityOf(data), values: numbersOf(data, type) };
    case "Utf8":
    case "Binary":
      return { layout: "variable", type, length, validity: validityOf(data), ...textsOf(data) };
    case "Dictionary": {
      const column: DictionaryColumn = {
        layout: "dictionary",
        type,
        length,
        validity: validityOf(data),
        indices: numbersOf(data, type.index),
        dictionary: dictionaryOf(data.dictionary, type.value),
      };
      return column;
    }
    case "List":
    case "FixedSizeList":
    case "Struct":
    case "DenseUnion":
      throw new BufferProblem(`is of the type ${type.id}, not a flat one`);
    default:
      return type satisfies never;
  }
}

function numbersOf({ values, length }: Data, type: ArrowType): NumberArray {
  const array: unknown = values;
  const bytes = type.id === "Int" || type.id === "Float" ? type.bits / 8 : type.id === "FixedSizeBinary" ? 1 : 8;
  const count = type.id === "FixedSizeBinary" ? type.width * length : length;
  if (!isNumberArray(array) || array.BYTES_PER_ELEMENT !== bytes || array.length < count) {
    const found = isNumberArray(array) ? `${array.length} of ${array.BYTES_PER_ELEMENT} bytes` : "none";
    throw new BufferProblem(`should have ${count} values of ${bytes} bytes, there are ${found}`);
  }
  return array;
}

function isNumberArray(values: unknown): values is NumberArray {
  return ArrayBuffer.isView(values) && "BYTES_PER_ELEMENT" in values && "subarray" in values;
}

/** Booleans from the first bit on: apache-arrow does not move them when it cuts a batch. */
function alignedBits({ values, offset, length }: Data): Uint8Array {
  const bits: unknown = values;
  const found = bits instanceof Uint8Array ? 8 * bits.length : 0;
  if (!(bits instanceof Uint8Array) || found < offset + length) {
    throw new BufferProblem(`should have ${offset + length} booleans, there are ${found}`);
  }
  return bitsFrom(bits, offset, length);
}

function validityOf(data: Data): Validity | null {
  const { nullCount, nullBitmap, offset, length } = data;
  if (nullCount === 0 || length === 0) return null;
  const bits: unknown = nullBitmap;
  const found = bits instanceof Uint8Array ? 8 * bits.length : 0;
  if (!(bits instanceof Uint8Array) || found < offset + length) {
    throw new BufferProblem(`has ${nullCount} nulls, and ${found} bits that say which of ${offset + length}`);
  }
  return { bitmap: bitsFrom(bits, offset, length), nullCount };
}

function bitsFrom(bits: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset % 8 === 0) return bits.subarray(offset >> 3);
  const out = new PageBuffer(bitmapBytes(length));
  appendBits([{ bits, offset, length }], out);
  return out.written();
}

function textsOf(data: Data): Pick<VariableColumn, "offsets" | "bytes"> {
  const { length } = data;
  const given: unknown = data.valueOffsets;
  const values: unknown = data.values;
  const bytes = values instanceof Uint8Array ? values : new Uint8Array(0);
  if (length === 0) return { offsets: new Int32Array(1), bytes };
  if (!(given instanceof Int32Array) || given.length <= length) {
    throw new BufferProblem(`should have ${length + 1} offsets`);
  }
  const offsets = given.subarray(0, length + 1);
  let before = 0;
  for (let i = 0; i <= length; i++) {
    if (offsets[i] < before) throw new BufferProblem(`has the offset ${offsets[i]} behind ${before}`);
    before = offsets[i];
  }
  if (before > bytes.length) throw new BufferProblem(`has the offset ${before}, its text ${bytes.length} bytes`);
  return { offsets, bytes };
}

/** One column per vector: that is how batches are known to share a dictionary. */
const dictionaries = new WeakMap<Vector, Column>();

function dictionaryOf(vector: Vector | undefined, type: ArrowType): Column {
  if (vector === undefined) throw new BufferProblem("has no dictionary");
  const known = dictionaries.get(vector);
  if (known !== undefined) return known;
  const parts = vector.data.map((data) => plainColumn(data, type));
  const made = parts.length === 1 ? parts[0] : joined(parts, type);
  dictionaries.set(vector, made);
  return made;
}

/** A dictionary that grew comes in several pieces. */
function joined(parts: readonly Column[], type: ArrowType): Column {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const validity = joinedValidity(parts, length);
  const texts = parts.filter((part) => part.layout === "variable");
  if (type.id === "Utf8" || type.id === "Binary")
    return { layout: "variable", type, length, validity, ...joinedTexts(texts) };
  const [first, ...rest] = parts.filter((part) => part.layout === "primitive");
  if (first === undefined || type.id === "Bool") throw new BufferProblem(`has a dictionary in ${parts.length} pieces`);
  return { ...first, length, validity, values: joinedNumbers([first, ...rest]) };
}

function joinedValidity(parts: readonly Column[], length: number): Validity | null {
  const nullCount = parts.reduce((sum, { validity }) => sum + (validity?.nullCount ?? 0), 0);
  if (nullCount === 0) return null;
  const out = new PageBuffer(bitmapBytes(length));
  appendBits(
    parts.map((part) => ({ bits: part.validity?.bitmap ?? null, offset: 0, length: part.length })),
    out,
  );
  return { bitmap: out.written(), nullCount };
}

function joinedTexts(parts: readonly VariableColumn[]): Pick<VariableColumn, "offsets" | "bytes"> {
  const offsets = [0];
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    const [shift, first] = [offsets.at(-1) ?? 0, part.offsets[0]];
    for (let i = 1; i <= part.length; i++) offsets.push(shift + part.offsets[i] - first);
    pieces.push(part.bytes.subarray(first, part.offsets[part.length]));
  }
  return { offsets: Int32Array.from(offsets), bytes: appended(pieces) };
}

function joinedNumbers(parts: readonly PrimitiveColumn[]): NumberArray {
  const [{ values }] = parts;
  const own = parts.map((part) => {
    const width = part.type.id === "FixedSizeBinary" ? part.type.width : part.values.BYTES_PER_ELEMENT;
    return bytesOf(part.values).subarray(0, width * part.length);
  });
  const bytes = appended(own);
  const out = zerosLike(values, bytes.length / values.BYTES_PER_ELEMENT);
  bytesOf(out).set(bytes);
  return out;
}

function appended(pieces: readonly Uint8Array[]): Uint8Array {
  const out = new PageBuffer(pieces.reduce((sum, piece) => sum + piece.length, 0));
  for (const piece of pieces) out.append(piece);
  return out.written();
}
