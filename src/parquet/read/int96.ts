/**
 * Checks INT96 timestamps: a Julian day and nanoseconds, which together span 5.8 million years in each direction. The
 * engine converts them to the unit in the schema, and wraps around if they overflow 64 bits. Milliseconds always fit.
 */

import {
  type Data,
  DataType,
  Field,
  FixedSizeList,
  LargeList,
  List,
  Map_,
  Struct,
  type Timestamp,
  TimestampMillisecond,
  TimeUnit,
} from "apache-arrow";
import { formatIsoTimestamp } from "../../arrow/iso-time.js";
import { UnsupportedError } from "../../model/errors.js";
import type { TopColumn } from "./footer.js";

const INT96 = 3;

/** Whether the column, or a column within it, is stored as INT96. */
export function hasInt96({ elements }: TopColumn): boolean {
  return elements.some((element) => !element.has(5) && element.integer(1) === INT96);
}

/** Returns the field with timestamps instead of dictionaries of timestamps, which make the engine panic. */
export function replaceInt96Types(field: Field): Field {
  return withTimes(field, (type) => type);
}

export function toMillisecondField(field: Field): Field {
  return withTimes(field, (type) => new TimestampMillisecond(type.timezone));
}

function withTimes({ name, type, nullable }: Field, time: (type: Timestamp) => DataType): Field {
  return new Field(name, typeWithTimes(type, time), nullable);
}

function typeWithTimes(type: DataType, time: (type: Timestamp) => DataType): DataType {
  if (DataType.isTimestamp(type)) return time(type);
  if (DataType.isDictionary(type)) return DataType.isTimestamp(type.dictionary) ? time(type.dictionary) : type;
  const children: Field[] = (type.children ?? []).map((child) => withTimes(child, time));
  const [first] = children;
  if (first === undefined) return type;
  if (DataType.isList(type)) return new List(first);
  if (DataType.isLargeList(type)) return new LargeList(first);
  if (DataType.isFixedSizeList(type)) return new FixedSizeList(type.listSize, first);
  if (DataType.isMap(type)) return new Map_(first, type.keysSorted);
  return DataType.isStruct(type) ? new Struct(children) : type;
}

/**
 * Compares times in the column's unit with the same times in milliseconds.
 * @param data values in the unit of the column.
 * @param milliseconds the values of `data` in milliseconds.
 * @throws {UnsupportedError} for a time that does not fit the unit of the column.
 */
export function checkInt96(data: Data, milliseconds: Data, path: string): void {
  const type: DataType = data.type;
  for (const [i, child] of data.children.entries()) {
    checkInt96(child, milliseconds.children[i], `${path}.${type.children[i].name}`);
  }
  if (!DataType.isTimestamp(type) || !DataType.isTimestamp(milliseconds.type)) return;
  const perMillisecond =
    type.unit === TimeUnit.NANOSECOND ? 1_000_000n : type.unit === TimeUnit.MICROSECOND ? 1000n : 1n;
  const [values, right]: readonly BigInt64Array[] = [data.values, milliseconds.values];
  for (let i = 0; i < data.length; i++) {
    if (floored(values[i], perMillisecond) === right[i] || !data.getValid(i)) continue;
    throw new UnsupportedError(
      `${path} has the time ${formatIsoTimestamp(right[i], 1000n)} in INT96, which ${type} does not hold; write it as ` +
        "timestamps of microseconds, or read the other columns",
    );
  }
}

function floored(value: bigint, by: bigint): bigint {
  const whole = value / by;
  return whole * by > value ? whole - 1n : whole;
}
