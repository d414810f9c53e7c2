/** Arrow types in Parquet: some are stored unchanged, some in another form, and some are unsupported. */

import {
  type Data,
  DataType,
  DateUnit,
  type Dictionary,
  makeData,
  Precision,
  type Schema,
  TimestampMillisecond,
  TimeUnit,
} from "apache-arrow";
import { UnsupportedError } from "../../model/errors.js";
import { type Substitute, substituteDictionary } from "../substitute.js";

/**
 * Whether a Parquet file can hold all columns of `schema`. Parquet cannot hold tables without columns, unions, structs
 * without fields, lists of the fixed size 0, lists of type null, month intervals, or dates and times in units that
 * readers mistake for integers.
 */
export function canHoldInParquet(schema: Schema): boolean {
  return schema.fields.length > 0 && schema.fields.every((field) => holds(field.type));
}

/** @param inList whether the type is nested in a list, which must not contain the null type. */
function holds(type: DataType, inList = false): boolean {
  if (DataType.isNull(type)) return !inList;
  if (DataType.isUnion(type) || DataType.isInterval(type)) return false;
  if (DataType.isDate(type)) return type.unit === DateUnit.DAY;
  if (DataType.isTime(type)) return type.unit !== TimeUnit.SECOND;
  if (DataType.isFixedSizeList(type) && type.listSize === 0) return false;
  if (DataType.isStruct(type) && type.children.length === 0) return false;
  // parquet-wasm does not support dictionaries of nested values.
  if (DataType.isDictionary(type)) return (type.dictionary.children ?? []).length === 0 && holds(type.dictionary);
  // When writing, apache-arrow slices the child of a list and then reports a null count of -1, which the engine
  // rejects.
  const isList = DataType.isList(type) || DataType.isLargeList(type);
  return (type.children ?? []).every((child) => holds(child.type, inList || isList));
}

/**
 * Returns the substitute for a type in Parquet. Seconds become milliseconds, because Parquet has no seconds and readers
 * would see integers. If no reader supports a dictionary's values in a dictionary page, its column becomes an ordinary
 * one. A column of nulls gets the null count that the engine requires.
 */
export function findParquetSubstitute(type: DataType): Substitute | null {
  if (DataType.isTimestamp(type) && type.unit === TimeUnit.SECOND) {
    const after = new TimestampMillisecond(type.timezone);
    return { type: after, data: (data) => inMilliseconds(data, after) };
  }
  if (DataType.isNull(type)) return { type, data: (data) => makeData({ type, length: data.length }) };
  if (DataType.isDictionary(type) && !staysDictionary(type)) return substituteDictionary(type);
  return null;
}

/**
 * Whether a dictionary is written as a dictionary. Readers panic on dictionaries of bools. They also misread half
 * floats, durations and fixed-size binary in dictionaries as other types.
 */
function staysDictionary(type: Dictionary): boolean {
  const values = type.dictionary;
  if (DataType.isBool(values) || DataType.isDuration(values) || DataType.isFixedSizeBinary(values)) return false;
  return !(DataType.isFloat(values) && values.precision === Precision.HALF);
}

const LIMIT = (2n ** 63n - 1n) / 1000n;

function inMilliseconds(data: Data, type: TimestampMillisecond): Data {
  const seconds: BigInt64Array = data.values;
  const out = new BigInt64Array(data.length);
  for (let i = 0; i < data.length; i++) {
    if (!data.getValid(i)) continue;
    const value = seconds[i];
    if (value > LIMIT || value < -LIMIT) {
      throw new UnsupportedError(
        `row ${i} of a batch is ${value} seconds from 1970, which milliseconds cannot hold; write the table as .arrow`,
      );
    }
    out[i] = value * 1000n;
  }
  const { offset, length, nullCount } = data;
  return makeData({ type, offset, length, nullCount, nullBitmap: data.nullBitmap, data: out });
}
