/** DuckDB types that have a fixed width in Arrow, with the conversion of their value bytes. */

import {
  type DataType,
  DateDay,
  Decimal,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  IntervalMonthDayNano,
  Null,
  TimeMicrosecond,
  TimeNanosecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
} from "apache-arrow";
import { UnsupportedError } from "../../model/errors.js";
import type { Bindings, NativeType } from "./native-connection.node.js";

/** A type whose values have `width` bytes each in DuckDB. */
export interface FixedType {
  readonly type: DataType;
  readonly width: number;
  /** Converts DuckDB's bytes to Arrow's values. The bytes of nulls are arbitrary. */
  readonly values: (bytes: Uint8Array<ArrayBuffer>, isValid: (i: number) => boolean) => ArrayBufferView;
}

type Words = new (buffer: ArrayBuffer) => ArrayBufferView;

/** Makes a type whose bytes are the same in Arrow. */
function same(type: DataType, width: number, words: Words): FixedType {
  return { type, width, values: ({ buffer }) => new words(buffer) };
}

/**
 * Returns the fixed-width form of `type`; null if the type is nested or has a variable width.
 * @param column the column's name for errors.
 */
export function findFixedType(bindings: Bindings, type: NativeType, column: string): FixedType | null {
  const ids = bindings.Type;
  switch (bindings.get_type_id(type)) {
    case ids.TINYINT:
      return same(new Int8(), 1, Int8Array);
    case ids.SMALLINT:
      return same(new Int16(), 2, Int16Array);
    case ids.INTEGER:
      return same(new Int32(), 4, Int32Array);
    case ids.BIGINT:
      return same(new Int64(), 8, BigInt64Array);
    case ids.UTINYINT:
      return same(new Uint8(), 1, Uint8Array);
    case ids.USMALLINT:
      return same(new Uint16(), 2, Uint16Array);
    case ids.UINTEGER:
      return same(new Uint32(), 4, Uint32Array);
    case ids.UBIGINT:
      return same(new Uint64(), 8, BigUint64Array);
    case ids.FLOAT:
      return same(new Float32(), 4, Float32Array);
    case ids.DOUBLE:
      return same(new Float64(), 8, Float64Array);
    case ids.DATE:
      return same(new DateDay(), 4, Int32Array);
    case ids.TIME:
      return same(new TimeMicrosecond(), 8, BigInt64Array);
    case ids.TIME_NS:
      return same(new TimeNanosecond(), 8, BigInt64Array);
    case ids.TIME_TZ:
      return { type: new TimeMicrosecond(), width: 8, values: timesOfDay };
    case ids.TIMESTAMP_S:
      return same(new TimestampSecond(), 8, BigInt64Array);
    case ids.TIMESTAMP_MS:
      return same(new TimestampMillisecond(), 8, BigInt64Array);
    case ids.TIMESTAMP:
      return same(new TimestampMicrosecond(), 8, BigInt64Array);
    case ids.TIMESTAMP_NS:
      return same(new TimestampNanosecond(), 8, BigInt64Array);
    case ids.TIMESTAMP_TZ:
      return same(new TimestampMicrosecond("UTC"), 8, BigInt64Array);
    case ids.INTERVAL:
      return { type: new IntervalMonthDayNano(), width: 16, values: intervals(column) };
    case ids.HUGEINT:
      return same(new Decimal(0, 38, 128), 16, Uint32Array);
    case ids.UHUGEINT:
      return { type: new Decimal(0, 38, 128), width: 16, values: unsigned(column) };
    case ids.DECIMAL:
      return decimal(bindings.decimal_width(type), bindings.decimal_scale(type));
    case ids.SQLNULL:
      return { type: new Null(), width: 0, values: (bytes) => bytes };
    default:
      return null;
  }
}

/** Makes a decimal type. Its values have 16 bytes in Arrow, and 2 to 16 bytes in DuckDB, depending on the digits. */
function decimal(digits: number, scale: number): FixedType {
  const type = new Decimal(scale, digits, 128);
  if (digits > 18) return same(type, 16, Uint32Array);
  const [width, Stored] =
    digits > 9 ? ([8, BigInt64Array] as const) : digits > 4 ? ([4, Int32Array] as const) : ([2, Int16Array] as const);
  return {
    type,
    width,
    values({ buffer }) {
      const stored = new Stored(buffer);
      const out = new BigInt64Array(2 * stored.length);
      for (let i = 0; i < stored.length; i++) {
        const value = BigInt(stored[i]);
        out[2 * i] = value;
        out[2 * i + 1] = value < 0n ? -1n : 0n;
      }
      return new Uint32Array(out.buffer);
    },
  };
}

/**
 * Converts times with an offset. The upper 40 bits contain the time, as in DuckDB's own export. Arrow cannot represent
 * the offset.
 */
function timesOfDay({ buffer }: Uint8Array<ArrayBuffer>): BigInt64Array {
  const packed = new BigUint64Array(buffer);
  return BigInt64Array.from(packed, (bits) => BigInt.asIntN(64, bits >> 24n));
}

const LARGEST = 2n ** 63n - 1n;

/** Converts months, days and microseconds to months, days and nanoseconds. */
function intervals(column: string): FixedType["values"] {
  return ({ buffer }, isValid) => {
    const out = new Int32Array(buffer.slice(0));
    const micros = new BigInt64Array(buffer);
    const nanos = new BigInt64Array(out.buffer);
    for (let i = 1; i < micros.length; i += 2) {
      const value = micros[i] * 1000n;
      if ((value > LARGEST || value < -LARGEST) && isValid(i >> 1)) {
        throw new UnsupportedError(
          `column "${column}" has an interval of ${micros[i]} microseconds, which Arrow's nanoseconds cannot hold; cast it to VARCHAR`,
        );
      }
      nanos[i] = value;
    }
    return out;
  };
}

/** Converts unsigned 128-bit integers. An Arrow decimal can represent only the lower half of their range. */
function unsigned(column: string): FixedType["values"] {
  return ({ buffer }, isValid) => {
    const words = new BigInt64Array(buffer);
    for (let i = 1; i < words.length; i += 2) {
      if (words[i] < 0n && isValid(i >> 1)) {
        throw new UnsupportedError(
          `column "${column}" has a UHUGEINT above 2^127, which Arrow lacks; cast it to VARCHAR`,
        );
      }
    }
    return new Uint32Array(buffer);
  };
}
