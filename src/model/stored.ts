/**
 * The vocabulary shared by containers and Arrow: the type of a stored array, and its decoded values. Containers produce
 * these, and `arrow/` consumes them; the two do not depend on each other.
 */

/**
 * Type of one element in a stored array. It has no byte order, since values are always in native (little-endian) order.
 */
export type StoredType =
  | { readonly kind: "bool" }
  | IntType
  | FloatType
  | ComplexType
  | { readonly kind: "text"; readonly storage: TextStorage }
  | { readonly kind: "bytes"; readonly width: number | null }
  | { readonly kind: "enum"; readonly base: IntType; readonly members: readonly EnumMember[] }
  | {
      readonly kind: "datetime" | "timedelta";
      readonly unit: TimeUnit;
      readonly step: number;
      /** Time zone of datetimes. The values themselves are in UTC. */
      readonly timezone?: string;
      /** Set for days that are calendar dates rather than points in time; `unit` is then `D`. */
      readonly isDate?: true;
    }
  | { readonly kind: "record"; readonly fields: readonly StoredField[] }
  | SequenceType
  | { readonly kind: "reference" }
  | { readonly kind: "unsupported"; readonly name: string };

export interface FloatType {
  readonly kind: "float";
  readonly bits: 16 | 32 | 64;
  /** Description of the stored format, if it is not an IEEE format. */
  readonly format?: string;
}

/** Sequences of any length. `shape` is the shape of each item, `[]` if absent. */
export interface SequenceType {
  readonly kind: "sequence";
  readonly item: StoredType;
  readonly shape?: readonly number[];
}

export interface ComplexType {
  readonly kind: "complex";
  readonly bits: 64 | 128;
  /** Names of the parts in HDF5 files; `r` and `i` if absent, as in h5py. */
  readonly parts?: readonly [real: string, imaginary: string];
}

export interface IntType {
  readonly kind: "int";
  readonly bits: 8 | 16 | 32 | 64;
  readonly signed: boolean;
  /** Set on bit fields of HDF5. */
  readonly isBitField?: true;
  /** Set for HDF5 times of 2 to 8 bytes. Only the program that wrote them knows their unit. */
  readonly isTime?: true;
}

/** How text is stored in the file; only writers need this. `width` is in bytes (also for utf-32). */
export type TextStorage =
  | { readonly form: "variable"; readonly encoding: "ascii" | "utf-8" }
  | {
      readonly form: "fixed";
      readonly encoding: "ascii" | "utf-8" | "utf-32";
      readonly width: number;
      readonly padding: "nullterm" | "nullpad" | "spacepad";
    };

export interface EnumMember {
  readonly name: string;
  readonly value: number | bigint;
}

/** Units of time, as numpy codes. */
export type TimeUnit = "Y" | "M" | "W" | "D" | "h" | "m" | "s" | "ms" | "us" | "ns" | "ps" | "fs" | "as" | "generic";

/** A field of a record. `shape` is the shape of its sub-array, `[]` for a single value. */
export interface StoredField {
  readonly name: string;
  readonly type: StoredType;
  readonly shape: readonly number[];
}

/** Typed arrays of integers. */
export type IntArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

export type NumberArray = IntArray | Float32Array | Float64Array;

/**
 * Decoded values in C order.
 * - `fixed`: bool as bytes 0 or 1 (unchecked), int and enum in their width, float16 bits as a Uint16Array, complex as
 *   interleaved Float32Array or Float64Array, datetime and timedelta as BigInt64Array, bytes of fixed width as a
 *   Uint8Array of n x width, references as BigUint64Array.
 * - `variable`: text (UTF-8, unchecked) and bytes of variable width; value i is `bytes[offsets[i] … offsets[i + 1]]`.
 * - `record`: one entry per field, by position; a field with a sub-array has n x product(shape) values.
 * - `sequence`: the items of all sequences, one after the other; sequence i consists of the items
 *   `offsets[i] … offsets[i + 1]`.
 */
export type StoredValues = FixedValues | VariableValues | RecordValues | SequenceValues;

export interface FixedValues {
  readonly kind: "fixed";
  readonly values: NumberArray;
}

export interface VariableValues {
  readonly kind: "variable";
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

export interface RecordValues {
  readonly kind: "record";
  readonly length: number;
  readonly fields: readonly StoredValues[];
}

export interface SequenceValues {
  readonly kind: "sequence";
  readonly offsets: Int32Array;
  readonly values: StoredValues;
}

/** Returns a typed array for `count` values of `type`. For bytes of fixed width, the array has count x width bytes. */
export function allocate(type: StoredType, count: number): NumberArray {
  switch (type.kind) {
    case "bool":
      return new Uint8Array(count);
    case "int":
      return allocateInt(type, count);
    case "enum":
      return allocateInt(type.base, count);
    case "float":
      return type.bits === 16
        ? new Uint16Array(count)
        : type.bits === 32
          ? new Float32Array(count)
          : new Float64Array(count);
    case "complex":
      return type.bits === 64 ? new Float32Array(2 * count) : new Float64Array(2 * count);
    case "datetime":
    case "timedelta":
      return new BigInt64Array(count);
    case "reference":
      return new BigUint64Array(count);
    case "bytes":
      return new Uint8Array(count * (type.width ?? 0));
    case "text":
    case "record":
    case "sequence":
    case "unsupported":
      throw new TypeError(`${type.kind} values have no typed array`);
    default:
      return type satisfies never;
  }
}

function allocateInt(type: IntType, count: number): NumberArray {
  switch (type.bits) {
    case 8:
      return type.signed ? new Int8Array(count) : new Uint8Array(count);
    case 16:
      return type.signed ? new Int16Array(count) : new Uint16Array(count);
    case 32:
      return type.signed ? new Int32Array(count) : new Uint32Array(count);
    case 64:
      return type.signed ? new BigInt64Array(count) : new BigUint64Array(count);
    default:
      return type.bits satisfies never;
  }
}

/** Views little-endian bytes as values of `type` without a copy. The bytes must start at a multiple of 8. */
export function viewAsNumbers(type: StoredType, bytes: Uint8Array): NumberArray {
  return viewLike(allocate(type, 0), bytes);
}

/** Views little-endian bytes as a typed array of the same kind as `like`, without a copy. */
export function viewLike(like: NumberArray, { buffer, byteOffset, byteLength }: Uint8Array): NumberArray {
  const length = byteLength / like.BYTES_PER_ELEMENT;
  if (like instanceof Float32Array) return new Float32Array(buffer, byteOffset, length);
  if (like instanceof Float64Array) return new Float64Array(buffer, byteOffset, length);
  if (like instanceof Int8Array) return new Int8Array(buffer, byteOffset, length);
  if (like instanceof Uint8Array) return new Uint8Array(buffer, byteOffset, length);
  if (like instanceof Int16Array) return new Int16Array(buffer, byteOffset, length);
  if (like instanceof Uint16Array) return new Uint16Array(buffer, byteOffset, length);
  if (like instanceof Int32Array) return new Int32Array(buffer, byteOffset, length);
  if (like instanceof Uint32Array) return new Uint32Array(buffer, byteOffset, length);
  return like instanceof BigInt64Array
    ? new BigInt64Array(buffer, byteOffset, length)
    : new BigUint64Array(buffer, byteOffset, length);
}

/** Returns the integer type of a typed array's values. */
export function getIntType(values: IntArray): IntType {
  if (values instanceof Int8Array) return { kind: "int", bits: 8, signed: true };
  if (values instanceof Uint8Array) return { kind: "int", bits: 8, signed: false };
  if (values instanceof Int16Array) return { kind: "int", bits: 16, signed: true };
  if (values instanceof Uint16Array) return { kind: "int", bits: 16, signed: false };
  if (values instanceof Int32Array) return { kind: "int", bits: 32, signed: true };
  if (values instanceof Uint32Array) return { kind: "int", bits: 32, signed: false };
  return { kind: "int", bits: 64, signed: values instanceof BigInt64Array };
}

/** Returns `length` zeros in a typed array of the same kind as `values`. */
export function createZeros(values: NumberArray, length: number): NumberArray {
  if (values instanceof Float32Array) return new Float32Array(length);
  if (values instanceof Float64Array) return new Float64Array(length);
  return allocateInt(getIntType(values), length);
}

/** Views a typed array as bytes, without a copy. */
export function viewAsBytes(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** Returns the size of a decoded value of `type` in bytes; null if it varies (text, bytes of variable width). */
export function getDecodedSize(type: StoredType): number | null {
  switch (type.kind) {
    case "bool":
      return 1;
    case "int":
      return type.bits / 8;
    case "enum":
      return type.base.bits / 8;
    case "float":
    case "complex":
      return type.bits / 8;
    case "datetime":
    case "timedelta":
    case "reference":
      return 8;
    case "bytes":
      return type.width;
    case "text":
    case "sequence":
      return null;
    case "record": {
      let size = 0;
      for (const field of type.fields) {
        const one = getDecodedSize(field.type);
        if (one === null) return null;
        size += one * countElements(field.shape);
      }
      return size;
    }
    case "unsupported":
      return 0;
    default:
      return type satisfies never;
  }
}

/** Returns the number of elements of an array of this shape (1 for a scalar). */
export function countElements(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}
