/** Converts apache-arrow schemas of all types to plain fields. Large and view types become their plain equivalents. */

import { DataType, type Field, type Schema } from "apache-arrow";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import { isJsonObject, readJson } from "../../model/json-object.js";
import { type ArrowField, type ArrowIndex, type ArrowType, BINARY, INT32, UTF8 } from "../type.js";
import { toArrowType, toTimestampUnit } from "./apache-columns.js";

/** Maximum nesting depth of a type. Real types are less deep, and recursion to this depth is safe. */
const MAX_DEPTH = 64;

/** The fields of a schema. @throws as `toColumnField`. */
export function toColumnFields(schema: Schema): ArrowField[] {
  return schema.fields.map((field) => toColumnField(field));
}

/**
 * Converts `field` to plain data. The time zone is stored in the metadata as `timezone`, because the values are in UTC.
 * @throws {UnsupportedError} for types that no store supports: decimals, dates in milliseconds, times, intervals.
 * @throws {InvalidInputError} if the field's metadata is not a JSON object.
 */
export function toColumnField(field: Field): ArrowField {
  return fieldOf(field, field.name, 0);
}

function fieldOf(field: Field, path: string, depth: number): ArrowField {
  if (depth > MAX_DEPTH) throw new UnsupportedError(`the type of ${path} is nested more than ${MAX_DEPTH} deep`);
  const { name, nullable } = field;
  const { type }: { readonly type: DataType } = field;
  const json = field.metadata.get("annarrow");
  const metadata = json === undefined ? undefined : parseMetadataObject(json, `the field ${path}`);
  const zone = DataType.isTimestamp(type) && type.timezone ? { timezone: type.timezone } : undefined;
  return {
    name,
    type: typeOf(type, path, depth),
    nullable,
    metadata: metadata === undefined && zone === undefined ? undefined : { ...metadata, ...zone },
  };
}

function typeOf(type: DataType, path: string, depth: number): ArrowType {
  const within = (child: Field): ArrowField => fieldOf(child, `${path}.${child.name}`, depth + 1);
  if (DataType.isLargeUtf8(type) || DataType.isUtf8View(type)) return UTF8;
  if (DataType.isLargeBinary(type) || DataType.isBinaryView(type)) return BINARY;
  if (DataType.isTimestamp(type)) return { id: "Timestamp", unit: toTimestampUnit(type.unit) };
  // A map is a list of its entries.
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isMap(type)) {
    return { id: "List", item: within(type.children[0]) };
  }
  if (DataType.isFixedSizeList(type))
    return { id: "FixedSizeList", size: type.listSize, item: within(type.children[0]) };
  if (DataType.isStruct(type)) return { id: "Struct", fields: type.children.map(within) };
  if (DataType.isUnion(type)) return { id: "DenseUnion", fields: type.children.map(within) };
  if (DataType.isDictionary(type)) {
    const value = typeOf(type.dictionary, path, depth + 1);
    if (value.id === "Dictionary") throw new UnsupportedError(`${path} is a dictionary of dictionaries`);
    return { id: "Dictionary", index: indexOf(type.indices, path), value, ordered: type.isOrdered };
  }
  const plain = toArrowType(type);
  if (plain !== null) return plain;
  throw new UnsupportedError(`${path} is of type ${type}, which no stored array has; ${remedy(type)}`);
}

/**
 * Returns the index type of a dictionary. 64-bit indices become Int32, because a dictionary has fewer than 2^31 values.
 */
function indexOf(type: DataType, path: string): ArrowIndex {
  if (!DataType.isInt(type)) throw new UnsupportedError(`${path} has indices of type ${type}`);
  return type.bitWidth === 64 ? INT32 : { id: "Int", bits: type.bitWidth, signed: type.isSigned };
}

function remedy(type: DataType): string {
  if (DataType.isDecimal(type)) return "cast it to Float64, Int64 or Utf8";
  if (DataType.isDate(type)) return "cast it to Timestamp, or to text in ISO 8601";
  if (DataType.isTime(type)) return "cast it to Int64 or Utf8";
  if (DataType.isInterval(type)) return "cast it to Duration or Int64";
  return "cast it to another type";
}

/**
 * Parses the JSON object stored in a metadata value under the key `annarrow`.
 * @param what the owner of the metadata, for messages.
 * @throws {InvalidInputError} if the text is not a JSON object.
 */
export function parseMetadataObject(json: string, what: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = readJson(json);
  } catch (cause) {
    throw new InvalidInputError(`the metadata annarrow of ${what} is not JSON`, { cause });
  }
  if (isJsonObject(value)) return value;
  throw new InvalidInputError(`the metadata annarrow of ${what} is no JSON object`);
}
