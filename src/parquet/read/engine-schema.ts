/**
 * Reads the Arrow schema that a Parquet file contains, and creates the schema that the engine uses to read its columns.
 */

import {
  DataType,
  Dictionary,
  Field,
  FixedSizeList,
  Int32,
  LargeList,
  List,
  Map_,
  Precision,
  Schema,
  Struct,
  TimestampMillisecond,
  TimeUnit,
} from "apache-arrow";
import { readMessage, removeMessagePrefix } from "../../ipc/read/message.js";
import { encodeApacheSchema } from "../../ipc/write/apache-writer.js";
import { InvalidDataError } from "../../model/errors.js";
import { FILE_SCHEMA, TABLE_SCHEMA } from "../thrift.js";

/**
 * Reads the Arrow schema of the table; null if the file has none.
 * @param maxColumns maximum number of columns, including nested columns.
 * @throws {InvalidDataError} if the key's value is not an Arrow schema.
 */
export function decodeEmbeddedSchema(keyValues: ReadonlyMap<string, string>, maxColumns?: number): Schema | null {
  const text = keyValues.get(TABLE_SCHEMA) ?? keyValues.get(FILE_SCHEMA);
  if (text === undefined) return null;
  let binary: string;
  try {
    binary = atob(text.trim());
  } catch (cause) {
    throw new InvalidDataError("the embedded Arrow schema is not base64", { cause });
  }
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const { header } = readMessage(removeMessagePrefix(bytes), maxColumns);
  if (header.kind !== "schema") throw new InvalidDataError(`the embedded Arrow schema is a ${header.kind}`);
  return header.schema.schema;
}

/** Returns the `ARROW:schema` for the engine, which builds its own dictionaries and does not support seconds. */
export function encodeEngineSchema(fields: readonly Field[]): string {
  let binary = "";
  for (const byte of encodeApacheSchema(new Schema(fields.map(engineField)))) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function engineField({ name, type, nullable }: Field): Field {
  return new Field(name, engineType(type), nullable);
}

function engineType(type: DataType): DataType {
  if (DataType.isDictionary(type)) {
    const values = engineType(type.dictionary);
    // With 8-bit indices, the engine rejects dictionaries that have 256 values.
    return isCodable(values) ? new Dictionary(values, new Int32(), null, false) : values;
  }
  if (DataType.isTimestamp(type) && type.unit === TimeUnit.SECOND) return new TimestampMillisecond(type.timezone);
  if (DataType.isMap(type)) {
    const entries = new Struct<{ key: DataType; value: DataType }>(type.childType.children.map(engineField));
    return new Map_(new Field("entries", entries, false), type.keysSorted);
  }
  const children = (type.children ?? []).map(engineField);
  const [first] = children;
  if (first !== undefined) {
    if (DataType.isList(type)) return new List(first);
    if (DataType.isLargeList(type)) return new LargeList(first);
    if (DataType.isFixedSizeList(type)) return new FixedSizeList(type.listSize, first);
    if (DataType.isStruct(type)) return new Struct(children);
  }
  return type;
}

/**
 * True if the engine can read dictionary pages with such values. It panics on booleans, and reads some other types
 * incorrectly.
 */
function isCodable(type: DataType): boolean {
  if (DataType.isFloat(type)) return type.precision !== Precision.HALF;
  return (
    DataType.isInt(type) ||
    DataType.isTimestamp(type) ||
    DataType.isUtf8(type) ||
    DataType.isLargeUtf8(type) ||
    DataType.isBinary(type) ||
    DataType.isLargeBinary(type)
  );
}
