/**
 * Selects the columns that the encoder in this folder supports, and their Parquet types. The results are serializable,
 * so any thread can use them.
 */

import type { ArrowField, ArrowType, TimestampUnit } from "../../arrow/type.js";
import type { WordOrder } from "../../kernels/parquet/statistics.js";

/** Values of Parquet's enum `Type`. */
const PHYSICAL = {
  BOOLEAN: 0,
  INT32: 1,
  INT64: 2,
  FLOAT: 4,
  DOUBLE: 5,
  BYTE_ARRAY: 6,
  FIXED_LEN_BYTE_ARRAY: 7,
} as const;
export type Physical = (typeof PHYSICAL)[keyof typeof PHYSICAL];

/** The logical type of a column, which is more specific than its physical type. */
export type Annotation =
  | { readonly kind: "integer"; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | { readonly kind: "date" | "string" | "float16" | "null" }
  | { readonly kind: "timestamp"; readonly unit: "ms" | "us" | "ns"; readonly utc: boolean };

/** How the values of a column are stored in memory. */
export type ValueKind =
  /** Numbers of `bytes` bytes in an Arrow array. The file stores each number as a 32-bit word, or as two for `*64`. */
  | { readonly kind: "words"; readonly order: WordOrder; readonly bytes: 1 | 2 | 4 | 8 }
  | { readonly kind: "bits" }
  | { readonly kind: "fixed"; readonly width: number }
  | { readonly kind: "bytes" }
  | { readonly kind: "null" };

export interface ParquetColumn {
  readonly name: string;
  readonly physical: Physical;
  readonly annotation: Annotation | null;
  /** Whether the file has definition levels. A column without definition levels must have no nulls. */
  readonly nullable: boolean;
  readonly values: ValueKind;
  /** Whether the column is a dictionary column. The dictionary page contains all values of the dictionary in order. */
  readonly coded: boolean;
  /**
   * Whether the column contains positions. They are written as differences, because adjacent positions differ little.
   */
  readonly position: boolean;
  /**
   * How values are converted: seconds become milliseconds, which Parquet supports, and dictionaries that readers do not
   * support are decoded.
   */
  readonly conversion: "none" | "seconds" | "decoded";
}

/**
 * Returns the Parquet columns for `fields`; null if this encoder does not support one of them. It supports flat
 * columns, but not nested columns, unions, or tables without columns.
 */
export function findParquetColumns(fields: readonly ArrowField[]): readonly ParquetColumn[] | null {
  const columns = fields.map(findParquetColumn);
  return columns.length > 0 && columns.every((column) => column !== null) ? columns : null;
}

/** Returns the Parquet column for `field`; null if this encoder does not support it. */
export function findParquetColumn(field: ArrowField): ParquetColumn | null {
  const { type } = field;
  if (type.id !== "Dictionary") return columnOf(field, type);
  const values = columnOf(field, type.value);
  if (values === null || type.value.id === "Null") return null;
  return staysDictionary(type.value)
    ? { ...values, coded: true, position: false }
    : { ...values, conversion: "decoded", position: false };
}

/** Returns `field` as it is stored in the file, for the embedded Arrow schema. */
export function toWrittenField(field: ArrowField): ArrowField {
  const { type } = field;
  if (type.id !== "Dictionary") return { ...field, type: writtenType(type) };
  const value = writtenType(type.value);
  return { ...field, type: staysDictionary(type.value) ? { ...type, value } : value };
}

function writtenType(type: ArrowType): ArrowType {
  return type.id === "Timestamp" && type.unit === "s" ? { ...type, unit: "ms" } : type;
}

/**
 * True if a dictionary is stored as a dictionary in the file. If half floats, durations, booleans or bytes of fixed
 * width come from a dictionary, readers mistake them for other types.
 */
function staysDictionary(value: ArrowType): boolean {
  switch (value.id) {
    case "Int":
    case "Utf8":
    case "Binary":
    case "Timestamp":
      return true;
    case "Float":
      return value.bits !== 16;
    default:
      return false;
  }
}

function columnOf({ name, nullable }: ArrowField, type: ArrowType): ParquetColumn | null {
  const base = { name, nullable, annotation: null, coded: false, position: false, conversion: "none" } as const;
  switch (type.id) {
    case "Null":
      return { ...base, physical: PHYSICAL.INT32, annotation: { kind: "null" }, values: { kind: "null" } };
    case "Bool":
      return { ...base, physical: PHYSICAL.BOOLEAN, values: { kind: "bits" } };
    case "Int": {
      const { bits, signed } = type;
      const wide = bits === 64;
      return {
        ...base,
        physical: wide ? PHYSICAL.INT64 : PHYSICAL.INT32,
        annotation: signed && bits >= 32 ? null : { kind: "integer", bits, signed },
        values: { kind: "words", order: `${signed ? "int" : "uint"}${wide ? 64 : 32}`, bytes: byteWidth(bits) },
        position: name === "row" || name === "col",
      };
    }
    case "Float":
      return { ...base, ...floatColumn(type.bits) };
    case "Utf8":
      return { ...base, physical: PHYSICAL.BYTE_ARRAY, annotation: { kind: "string" }, values: { kind: "bytes" } };
    case "Binary":
      return { ...base, physical: PHYSICAL.BYTE_ARRAY, values: { kind: "bytes" } };
    case "FixedSizeBinary": {
      const { width } = type;
      if (width < 1) return null;
      return { ...base, physical: PHYSICAL.FIXED_LEN_BYTE_ARRAY, values: { kind: "fixed", width } };
    }
    case "Date32":
      return {
        ...base,
        physical: PHYSICAL.INT32,
        annotation: { kind: "date" },
        values: { kind: "words", order: "int32", bytes: 4 },
      };
    case "Timestamp":
      return { ...base, ...getTimestampStorage(type.unit, type.timezone !== undefined) };
    case "Duration":
      return { ...base, ...INT64_VALUES };
    case "List":
    case "FixedSizeList":
    case "Struct":
    case "Dictionary":
    case "DenseUnion":
      return null;
    default:
      return type satisfies never;
  }
}

type Storage = Pick<ParquetColumn, "physical" | "values"> & Partial<Pick<ParquetColumn, "annotation" | "conversion">>;

const INT64_VALUES: Storage = { physical: PHYSICAL.INT64, values: { kind: "words", order: "int64", bytes: 8 } };

/** Returns how a timestamp is stored. `utc` is true if it has a time zone and is therefore a point in time. */
export function getTimestampStorage(unit: TimestampUnit, utc: boolean): Storage {
  const seconds = unit === "s";
  return {
    ...INT64_VALUES,
    annotation: { kind: "timestamp", unit: seconds ? "ms" : unit, utc },
    conversion: seconds ? "seconds" : "none",
  };
}

function floatColumn(bits: 16 | 32 | 64): Storage {
  switch (bits) {
    case 16:
      return {
        physical: PHYSICAL.FIXED_LEN_BYTE_ARRAY,
        annotation: { kind: "float16" },
        values: { kind: "fixed", width: 2 },
      };
    case 32:
      return { physical: PHYSICAL.FLOAT, values: { kind: "words", order: "float32", bytes: 4 } };
    case 64:
      return { physical: PHYSICAL.DOUBLE, values: { kind: "words", order: "float64", bytes: 8 } };
    default:
      return bits satisfies never;
  }
}

function byteWidth(bits: 8 | 16 | 32 | 64): 1 | 2 | 4 | 8 {
  switch (bits) {
    case 8:
      return 1;
    case 16:
      return 2;
    case 32:
      return 4;
    case 64:
      return 8;
    default:
      return bits satisfies never;
  }
}
