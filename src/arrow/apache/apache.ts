/** Converts serializable types and columns to apache-arrow's objects. Only this conversion requires the library. */

import {
  Binary,
  Bool,
  type Data,
  type DataType,
  DateDay,
  DenseUnion,
  Dictionary,
  DurationMicrosecond,
  DurationMillisecond,
  DurationNanosecond,
  DurationSecond,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float16,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  List,
  makeData,
  Null,
  RecordBatch,
  Schema,
  Struct,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  Vector,
} from "apache-arrow";
import type { NumberArray } from "../../model/stored.js";
import type { Column } from "../column.js";
import type { ArrowField, ArrowIndex, ArrowInt, ArrowType, TimestampUnit } from "../type.js";

export function toSchema(fields: readonly ArrowField[], metadata: ReadonlyMap<string, string>): Schema {
  return new Schema(fields.map(toField), new Map(metadata));
}

/** Converts columns to a record batch with the given `schema`. The columns match the fields one to one. */
export function toRecordBatch(schema: Schema, columns: readonly Column[], length: number): RecordBatch {
  const children = columns.map((column, i) => toData(schema.fields[i].type, column));
  return createRecordBatch(schema, length, children);
}

/**
 * Makes a record batch with the given `schema` from `children`, which match the fields one to one and have `length`
 * rows each. The constructor of `RecordBatch` would copy the schema and look up every field by name: all fields with
 * the same name would get the type of the last one, and 2^14 columns would take minutes.
 */
export function createRecordBatch(schema: Schema, length: number, children: Data[]): RecordBatch {
  const data = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children });
  return Object.assign(new RecordBatch(NO_FIELDS, makeData({ type: new Struct([]), length, nullCount: 0 })), {
    schema,
    data,
  });
}

const NO_FIELDS = new Schema();

function toField({ name, type, nullable, metadata }: ArrowField): Field {
  const stored = metadata === undefined ? undefined : new Map([["annarrow", JSON.stringify(metadata)]]);
  return new Field(name, toType(type), nullable, stored);
}

export function toType(type: ArrowType): DataType {
  switch (type.id) {
    case "Null":
      return new Null();
    case "Bool":
      return new Bool();
    case "Int":
      return toInt(type);
    case "Float":
      return type.bits === 16 ? new Float16() : type.bits === 32 ? new Float32() : new Float64();
    case "Utf8":
      return new Utf8();
    case "Binary":
      return new Binary();
    case "FixedSizeBinary":
      return new FixedSizeBinary(type.width);
    case "Date32":
      return new DateDay();
    case "Timestamp":
      return toTimestamp(type.unit, type.timezone);
    case "Duration":
      return duration(type.unit);
    case "List":
      return new List(toField(type.item));
    case "FixedSizeList":
      return new FixedSizeList(type.size, toField(type.item));
    case "Struct":
      return new Struct(type.fields.map(toField));
    case "Dictionary":
      return new Dictionary(toType(type.value), toIndex(type.index), null, type.ordered);
    case "DenseUnion":
      return new DenseUnion(
        type.fields.map((_, i) => i),
        type.fields.map(toField),
      );
    default:
      return type satisfies never;
  }
}

function toInt({ bits, signed }: ArrowInt): DataType {
  return bits === 64 ? (signed ? new Int64() : new Uint64()) : toIndex({ id: "Int", bits, signed });
}

export function toIndex({ bits, signed }: ArrowIndex): Int8 | Int16 | Int32 | Uint8 | Uint16 | Uint32 {
  switch (bits) {
    case 8:
      return signed ? new Int8() : new Uint8();
    case 16:
      return signed ? new Int16() : new Uint16();
    case 32:
      return signed ? new Int32() : new Uint32();
    default:
      return bits satisfies never;
  }
}

export function toTimestamp(unit: TimestampUnit, timezone?: string | null): DataType {
  switch (unit) {
    case "s":
      return new TimestampSecond(timezone);
    case "ms":
      return new TimestampMillisecond(timezone);
    case "us":
      return new TimestampMicrosecond(timezone);
    case "ns":
      return new TimestampNanosecond(timezone);
    default:
      return unit satisfies never;
  }
}

function duration(unit: TimestampUnit): DataType {
  switch (unit) {
    case "s":
      return new DurationSecond();
    case "ms":
      return new DurationMillisecond();
    case "us":
      return new DurationMicrosecond();
    case "ns":
      return new DurationNanosecond();
    default:
      return unit satisfies never;
  }
}

function toData(type: DataType, column: Column): Data {
  const { length } = column;
  const nullCount = column.validity?.nullCount ?? 0;
  const nullBitmap = column.validity?.bitmap ?? null;
  switch (column.layout) {
    case "null":
      return makeData({ type: narrowed(type, Null), length });
    case "primitive":
      return makeData({ type: narrowed(type, Int32), length, nullCount, nullBitmap, data: asInt32(column.values) });
    case "variable":
      return makeData({
        type: narrowed(type, Utf8),
        length,
        nullCount,
        nullBitmap,
        valueOffsets: column.offsets,
        data: column.bytes,
      });
    case "list": {
      const list = narrowed(type, List);
      const child = toData(list.children[0].type, column.child);
      return makeData({ type: list, length, nullCount, nullBitmap, valueOffsets: column.offsets, child });
    }
    case "fixed-size-list": {
      const list = narrowed(type, FixedSizeList);
      return makeData({
        type: list,
        length,
        nullCount,
        nullBitmap,
        child: toData(list.children[0].type, column.child),
      });
    }
    case "struct": {
      const struct = narrowed(type, Struct);
      const children = column.children.map((child, i) => toData(struct.children[i].type, child));
      return makeData({ type: struct, length, nullCount, nullBitmap, children });
    }
    case "dictionary": {
      const dictionary = narrowed(type, Dictionary<DataType, Int32>);
      return makeData({
        type: dictionary,
        length,
        nullCount,
        nullBitmap,
        data: asInt32(column.indices),
        dictionary: dictionaryVector(dictionary, column.dictionary),
      });
    }
    case "union": {
      const union = narrowed(type, DenseUnion);
      const children = column.children.map((child, i) => toData(union.children[i].type, child));
      return makeData({ type: union, length, typeIds: column.typeIds, valueOffsets: column.offsets, children });
    }
    default:
      return column satisfies never;
  }
}

/** Dictionary vectors, one per column. Writers compare dictionaries by identity, even when two scans alternate. */
const vectors = new WeakMap<Column, Vector>();

function dictionaryVector(type: Dictionary<DataType, Int32>, column: Column): Vector {
  let vector = vectors.get(column);
  if (vector === undefined) {
    vector = new Vector([toData(type.dictionary, column)]);
    vectors.set(column, vector);
  }
  return vector;
}

/**
 * Narrows a type for apache-arrow: `makeData` has one overload per type, but the layout of a column covers several
 * types (every integer, float and time is "primitive").
 */
function narrowed<T extends DataType>(type: DataType, _like: new (...parameters: never[]) => T): T {
  return type as T;
}

function asInt32(values: NumberArray): Int32Array {
  return values as Int32Array;
}
