/**
 * Reads the schema of an IPC file or stream, or a Parquet file's `ARROW:schema`, as an apache-arrow schema. Slots are
 * numbered as in the format's Schema.fbs. Types that apache-arrow lacks (views, list views, run-end encoded values,
 * decimals of 32 and 64 bits) are read as their basic equivalents, and the loader converts the values accordingly.
 */

import {
  Binary,
  Bool,
  type DataType,
  Date_,
  DateUnit,
  Decimal,
  DenseUnion,
  Dictionary,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  type Int8,
  Int16,
  Int32,
  Int64,
  IntervalDayTime,
  IntervalMonthDayNano,
  IntervalYearMonth,
  LargeBinary,
  LargeList,
  LargeUtf8,
  List,
  Map_,
  Null,
  Schema,
  SparseUnion,
  Struct,
  TimeMicrosecond,
  TimeMillisecond,
  TimeNanosecond,
  TimeSecond,
  type Uint8,
  type Uint16,
  type Uint32,
  Utf8,
} from "apache-arrow";
import { toIndex, toTimestamp, toType } from "../../arrow/apache/apache.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { TYPE } from "../flatbuffers/format.js";
import type { FlatTable } from "../flatbuffers/reader.js";
import { ColumnLimit } from "./column-limit.js";

/** Maximum nesting depth of a type, which bounds the recursion. */
const MAX_DEPTH = 64;
/** Maximum width of a fixed-size list or binary value. apache-arrow counts it in 32 bits. */
const MAX_WIDTH = 2 ** 31 - 1;

/** The layout of a column in the messages, if it differs from the layout of its type in apache-arrow. */
export type StoredLayout = "plain" | "view" | "list-view" | "run-ends" | "decimal32" | "decimal64";

/** A field as stored in the messages, with its apache-arrow type. */
export interface FileField {
  readonly field: Field;
  readonly form: StoredLayout;
  /** The id of the dictionary, and the width of its codes in the file; null for a field without a dictionary. */
  readonly dictionary: { readonly id: bigint; readonly bits: number; readonly signed: boolean } | null;
  /**
   * Children of the type, or of the dictionary's values. A run-end encoded field has two: the ends of its runs, and
   * their values.
   */
  readonly children: readonly FileField[];
}

export interface FileSchema {
  readonly schema: Schema;
  /** Whether the values in all buffers are big-endian. Metadata is always little-endian. */
  readonly bigEndian: boolean;
  readonly fields: readonly FileField[];
}

/**
 * Reads a schema.
 * @param maxColumns maximum number of columns, including nested columns.
 * @throws {InvalidDataError} if the schema violates the format, {UnsupportedError} if a type is unknown or there are
 * more than `maxColumns` columns.
 */
export function readSchema(table: FlatTable, maxColumns?: number): FileSchema {
  const endianness = table.int16(0);
  if (endianness !== 0 && endianness !== 1) {
    throw new InvalidDataError(`the schema has the byte order ${endianness}; there are 0 (little-endian) and 1 (big)`);
  }
  const limit = new ColumnLimit(maxColumns);
  const fields = readFields(table, 1, 0, limit);
  return {
    fields,
    bigEndian: endianness === 1,
    schema: new Schema(
      fields.map(({ field }) => field),
      parseKeyValues(table, 2),
    ),
  };
}

/** Reads the custom metadata: key-value pairs that the writer added. */
export function parseKeyValues(table: FlatTable, slot: number): Map<string, string> {
  return new Map(table.tables(slot).map((pair) => [pair.string(0), pair.string(1)]));
}

function readFields(table: FlatTable, slot: number, depth: number, limit: ColumnLimit): readonly FileField[] {
  limit.count(table.count(slot));
  return table.tables(slot).map((field) => readField(field, depth, limit));
}

function readField(table: FlatTable, depth: number, limit: ColumnLimit): FileField {
  const name = table.string(0);
  if (depth > MAX_DEPTH) throw new UnsupportedError(`the type of ${name} is nested more than ${MAX_DEPTH} levels deep`);
  const children = readFields(table, 5, depth + 1, limit);
  const id = table.uint8(2);
  const type = readType(name, id, table.table(3), children);
  const form = storedForm(id, table.table(3));
  // A run-end encoded column has no bitmap: it is nullable if its run values are nullable.
  const nullable = table.bool(1) || (form === "run-ends" && children[1].field.nullable);
  const encoding = table.table(4);
  const metadata = parseKeyValues(table, 6);
  if (encoding === null) return { field: new Field(name, type, nullable, metadata), form, dictionary: null, children };
  if (type instanceof Dictionary) throw new UnsupportedError(`${name} is a dictionary of dictionaries`);
  const index = encoding.table(1);
  const coded = new Dictionary(type, indexType(name, index), null, encoding.bool(2));
  const dictionary = { id: encoding.int64(0), bits: index?.int32(0) ?? 32, signed: index?.bool(1) ?? true };
  return { field: new Field(name, coded, nullable, metadata), form, dictionary, children };
}

function storedForm(id: number, table: FlatTable | null): StoredLayout {
  switch (id) {
    case TYPE.BinaryView:
    case TYPE.Utf8View:
      return "view";
    case TYPE.ListView:
    case TYPE.LargeListView:
      return "list-view";
    case TYPE.RunEndEncoded:
      return "run-ends";
    case TYPE.Decimal: {
      const bits = decimalBits(table);
      return bits === 32 ? "decimal32" : bits === 64 ? "decimal64" : "plain";
    }
    default:
      return "plain";
  }
}

function readType(name: string, id: number, table: FlatTable | null, children: readonly FileField[]): DataType {
  const fields = children.map(({ field }) => field);
  const only = (): Field => {
    if (fields.length === 1) return fields[0];
    throw new InvalidDataError(`${name} is a list of ${fields.length} types, expected 1`);
  };
  const unit = table?.int16(0) ?? 0;
  switch (id) {
    case TYPE.Null:
      return new Null();
    case TYPE.Int:
      return intType(name, table);
    case TYPE.Float:
      return toType({ id: "Float", bits: pick(name, unit, FLOAT_BITS) });
    case TYPE.Binary:
    case TYPE.BinaryView:
      return new Binary();
    case TYPE.Utf8:
    case TYPE.Utf8View:
      return new Utf8();
    case TYPE.Bool:
      return new Bool();
    case TYPE.Decimal:
      return decimal(name, table);
    case TYPE.Date:
      return new Date_((table?.int16(0, 1) ?? 1) === 0 ? DateUnit.DAY : DateUnit.MILLISECOND);
    case TYPE.Time:
      return new (pick(name, table?.int16(0, 1) ?? 1, TIMES))();
    case TYPE.Timestamp: {
      const zone = table?.field(1) === null ? null : table?.string(1);
      return toTimestamp(pick(name, unit, UNITS), zone);
    }
    case TYPE.Interval:
      return new (pick(name, unit, INTERVALS))();
    case TYPE.List:
    case TYPE.ListView:
      return new List(only());
    case TYPE.Struct:
      return new Struct(fields);
    case TYPE.Union:
      return unionType(name, table, fields);
    case TYPE.FixedSizeBinary:
      return new FixedSizeBinary(width(name, table));
    case TYPE.FixedSizeList:
      return new FixedSizeList(width(name, table), only());
    case TYPE.Map: {
      const entries = only();
      if (!(entries.type instanceof Struct) || entries.type.children.length !== 2) {
        throw new InvalidDataError(`${name} is a map of ${entries.type}, expected a struct of two`);
      }
      return new Map_(entries, table?.bool(0));
    }
    case TYPE.Duration:
      return toType({ id: "Duration", unit: pick(name, table?.int16(0, 1) ?? 1, UNITS) });
    case TYPE.LargeBinary:
      return new LargeBinary();
    case TYPE.LargeUtf8:
      return new LargeUtf8();
    case TYPE.LargeList:
    case TYPE.LargeListView:
      return new LargeList(only());
    case TYPE.RunEndEncoded:
      return runType(name, fields);
    default:
      throw new UnsupportedError(`${name} has the Arrow type ${id}; types up to ${TYPE.LargeListView} are known`);
  }
}

// Units and precisions, indexed by their numbers in Schema.fbs.
const UNITS = ["s", "ms", "us", "ns"] as const;
const FLOAT_BITS = [16, 32, 64] as const;
const TIMES = [TimeSecond, TimeMillisecond, TimeMicrosecond, TimeNanosecond];
const INTERVALS = [IntervalYearMonth, IntervalDayTime, IntervalMonthDayNano];

function pick<T>(name: string, at: number, all: readonly T[]): T {
  if (all[at] === undefined) throw new InvalidDataError(`${name}: unit or precision ${at}, there are ${all.length}`);
  return all[at];
}

function intType(name: string, table: FlatTable | null): DataType {
  const [bits, signed] = [table?.int32(0) ?? 0, table?.bool(1) ?? false];
  if (bits === 64) return toType({ id: "Int", bits, signed });
  return smallInt(name, bits, signed);
}

function smallInt(name: string, bits: number, signed: boolean): Int8 | Int16 | Int32 | Uint8 | Uint16 | Uint32 {
  if (bits === 8 || bits === 16 || bits === 32) return toIndex({ id: "Int", bits, signed });
  throw new InvalidDataError(`${name} has integers of ${bits} bits`);
}

/**
 * Returns the type of a dictionary's codes. 64-bit codes become Int32, because apache-arrow cannot look up a value by a
 * bigint. A missing type means Int32.
 */
function indexType(name: string, table: FlatTable | null): Int8 | Int16 | Int32 | Uint8 | Uint16 | Uint32 {
  if (table === null || table.int32(0) === 64) return new Int32();
  return smallInt(name, table.int32(0), table.bool(1));
}

function decimal(name: string, table: FlatTable | null): Decimal {
  const [precision, scale, bits] = [table?.int32(0) ?? 0, table?.int32(1) ?? 0, decimalBits(table)];
  if (![32, 64, 128, 256].includes(bits)) throw new InvalidDataError(`${name} has decimals of ${bits} bits`);
  return new Decimal(scale, precision, bits === 256 ? 256 : 128);
}

function decimalBits(table: FlatTable | null): number {
  return table?.int32(2, 128) ?? 128;
}

/** Returns the value type of a run-end encoded column. */
function runType(name: string, fields: readonly Field[]): DataType {
  const [ends, values] = fields;
  if (fields.length !== 2) throw new InvalidDataError(`${name} has ${fields.length} types, run ends and values are 2`);
  if (ends.type instanceof Int16 || ends.type instanceof Int32 || ends.type instanceof Int64) return values.type;
  throw new InvalidDataError(`${name} has run ends of the type ${ends.type}`);
}

function width(name: string, table: FlatTable | null): number {
  const size = table?.int32(0) ?? 0;
  if (size < 0 || size > MAX_WIDTH) throw new InvalidDataError(`${name} has values of the size ${size}`);
  return size;
}

function unionType(name: string, table: FlatTable | null, fields: Field[]): DataType {
  const listed = table?.list(1, 4).map((at) => table.buffer.int32(at)) ?? [];
  const ids = listed.length === 0 ? fields.map((_, i) => i) : listed;
  if (ids.length !== fields.length || new Set(ids).size !== ids.length || ids.some((id) => id < 0 || id > 127)) {
    throw new InvalidDataError(`${name} is a union of ${fields.length} types with the ids ${ids.slice(0, 8)}`);
  }
  return table?.int16(0) === 1 ? new DenseUnion(ids, fields) : new SparseUnion(ids, fields);
}
