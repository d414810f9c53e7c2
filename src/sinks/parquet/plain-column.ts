/** Which Arrow columns the encoder of this folder takes, and what Parquet calls their types. */

import { DataType, DateUnit, type Field, Precision, TimeUnit } from "apache-arrow";
import type { WordOrder } from "../../kernels/parquet/statistics.js";

/** Values of Parquet's enum `Type`. */
export const PHYSICAL = { BOOLEAN: 0, INT32: 1, INT64: 2, FLOAT: 4, DOUBLE: 5 } as const;
type Physical = (typeof PHYSICAL)[keyof typeof PHYSICAL];

/** What says more of a column than its physical type. */
export type Annotation =
  | { readonly kind: "integer"; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | { readonly kind: "date" }
  | { readonly kind: "timestamp"; readonly unit: "ms" | "us" | "ns"; readonly utc: boolean };

export interface PlainColumn {
  readonly name: string;
  readonly physical: Physical;
  /** How the values are stored and compared; `bits` are booleans. */
  readonly values: WordOrder | "bits";
  readonly annotation: Annotation | null;
  /** Bytes of a value in an Arrow array, at least 1. */
  readonly arrowBytes: number;
  /** Neighbours differ little: positions are written as differences, whatever their values are. */
  readonly position: boolean;
}

/** The column of `field`; null where another encoder must take it: nulls, text, nested and rare types. */
export function plainColumn(field: Field): PlainColumn | null {
  if (field.nullable) return null;
  const { name } = field;
  const { type }: { readonly type: DataType } = field;
  if (DataType.isBool(type)) {
    return { name, physical: PHYSICAL.BOOLEAN, values: "bits", annotation: null, arrowBytes: 1, position: false };
  }
  if (DataType.isInt(type)) return integerColumn(name, type.bitWidth, type.isSigned);
  if (DataType.isFloat(type)) return floatColumn(name, type.precision);
  if (DataType.isDate(type) && type.unit === DateUnit.DAY) {
    return {
      name,
      physical: PHYSICAL.INT32,
      values: "int32",
      annotation: { kind: "date" },
      arrowBytes: 4,
      position: false,
    };
  }
  if (DataType.isTimestamp(type)) {
    // An empty zone is none: such times are local.
    return timestampColumn(name, type.unit, Boolean(type.timezone));
  }
  return null;
}

function integerColumn(name: string, bits: 8 | 16 | 32 | 64, signed: boolean): PlainColumn {
  const wide = bits === 64;
  return {
    name,
    physical: wide ? PHYSICAL.INT64 : PHYSICAL.INT32,
    values: `${signed ? "int" : "uint"}${wide ? 64 : 32}`,
    annotation: signed && bits >= 32 ? null : { kind: "integer", bits, signed },
    arrowBytes: bits / 8,
    position: name === "row" || name === "col",
  };
}

function floatColumn(name: string, precision: Precision): PlainColumn | null {
  switch (precision) {
    case Precision.HALF:
      return null;
    case Precision.SINGLE:
      return { name, physical: PHYSICAL.FLOAT, values: "float32", annotation: null, arrowBytes: 4, position: false };
    case Precision.DOUBLE:
      return { name, physical: PHYSICAL.DOUBLE, values: "float64", annotation: null, arrowBytes: 8, position: false };
    default:
      return precision satisfies never;
  }
}

function timestampColumn(name: string, timeUnit: TimeUnit, utc: boolean): PlainColumn | null {
  const unit = parquetUnit(timeUnit);
  if (unit === null) return null;
  return {
    name,
    physical: PHYSICAL.INT64,
    values: "int64",
    annotation: { kind: "timestamp", unit, utc },
    arrowBytes: 8,
    position: false,
  };
}

function parquetUnit(unit: TimeUnit): "ms" | "us" | "ns" | null {
  switch (unit) {
    case TimeUnit.SECOND:
      return null;
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
