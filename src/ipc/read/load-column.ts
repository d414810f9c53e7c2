/**
 * Converts a column's buffers to apache-arrow's data, after checks that apache-arrow omits: of lengths, offsets, and
 * codes.
 */

import { type Data, DataType, IntervalUnit, type Vector } from "apache-arrow";
import { createRawData } from "../../arrow/apache/raw-data.js";
import { findInvalidText, findInvalidUtf8 } from "../../kernels/text/utf8.js";
import { getBitmapByteLength } from "../../kernels/values/bitmap.js";
import { swapBytes } from "../../kernels/values/byte-order.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { getValueType } from "./column-parts.js";
import { GatherBudget } from "./gather.js";
import type { FieldNode } from "./message.js";
import type { FileField } from "./schema.js";
import { convertTextViews, unfoldLists, unfoldRuns } from "./unfold.js";

/** The parts of a column. The buffers are uncompressed and have their own memory. */
export interface LoadedParts {
  readonly nodes: readonly FieldNode[];
  readonly buffers: readonly Uint8Array[];
  readonly viewBuffers: readonly number[];
  readonly layout: BodyLayout;
}

export interface BodyLayout {
  readonly bigEndian: boolean;
  readonly unionBitmaps: boolean;
}

export type Dictionaries = ReadonlyMap<bigint, Vector>;

export interface LoadOptions {
  readonly dictionaries: Dictionaries;
  /** Whether the column contains the values of the field's dictionary instead of indices. */
  readonly values?: boolean;
}

/**
 * Loads a column.
 * @throws {InvalidDataError} if the number of rows differs from `rows`, or if the column violates the format.
 */
export function loadColumn(
  field: FileField,
  parts: LoadedParts,
  rows: number,
  { dictionaries, values = false }: LoadOptions,
): Data {
  return new ColumnLoader(parts, dictionaries).load(field, rows, values);
}

class ColumnLoader {
  readonly #nodes: Iterator<FieldNode>;
  readonly #buffers: Iterator<Uint8Array>;
  readonly #views: Iterator<number>;
  readonly #dictionaries: Dictionaries;
  readonly #layout: BodyLayout;
  #budget: GatherBudget | null = null;

  constructor(parts: LoadedParts, dictionaries: Dictionaries) {
    this.#layout = parts.layout;
    this.#nodes = parts.nodes[Symbol.iterator]();
    this.#buffers = parts.buffers[Symbol.iterator]();
    this.#views = parts.viewBuffers[Symbol.iterator]();
    this.#dictionaries = dictionaries;
  }

  /** Loads a column or child column. @param rows the expected number of rows; null to use the stored number. */
  load(field: FileField, rows: number | null, values = false): Data {
    const { name } = field.field;
    const { length } = taken(this.#nodes);
    if (length > 2 ** 31 - 1) throw new UnsupportedError(`${name} has ${length} rows in one batch, 2^31 - 1 are read`);
    if (rows !== null && length !== rows) throw new InvalidDataError(`${name} has ${length} rows, expected ${rows}`);
    if (field.dictionary !== null && !values) return this.#coded(field, length);
    if (field.form === "run-ends") return this.#runs(field, length);
    const type = getValueType(field);
    if (DataType.isNull(type)) return createRawData(type, length, length, {});
    if (DataType.isUnion(type)) return this.#union(field, type, length);
    const validity = this.#validity(name, length);
    const { nullCount, bitmap } = validity;
    if (DataType.isBool(type)) {
      const bits = this.#bytes(name, getBitmapByteLength(length));
      return createRawData(type, length, nullCount, { values: bits, bitmap });
    }
    if (DataType.isUtf8(type) || DataType.isBinary(type)) {
      const [offsets, bytes] =
        field.form === "view" ? this.#views16(field, validity, length) : this.#offsets32(name, length);
      if (DataType.isUtf8(type)) checkText(name, findInvalidText(offsets, bytes));
      return createRawData(type, length, nullCount, { offsets, values: bytes, bitmap });
    }
    if (DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) {
      const offsets = this.#largeOffsets(name, length);
      const bytes = taken(this.#buffers);
      checkOffset(name, Number(offsets[length]), bytes.length);
      if (DataType.isLargeUtf8(type)) checkText(name, firstInvalidLargeText(offsets, bytes));
      return createRawData(type, length, nullCount, { offsets, values: bytes, bitmap });
    }
    if (field.form === "list-view") return this.#listView(field, type, length, validity);
    if (DataType.isList(type) || DataType.isMap(type)) {
      const offsets = this.#smallOffsets(name, length);
      const child = this.load(field.children[0], null);
      checkOffset(name, offsets[length], child.length);
      return createRawData(type, length, nullCount, { offsets, bitmap }, [child]);
    }
    if (DataType.isLargeList(type)) {
      const offsets = this.#largeOffsets(name, length);
      const child = this.load(field.children[0], null);
      checkOffset(name, Number(offsets[length]), child.length);
      return createRawData(type, length, nullCount, { offsets, bitmap }, [child]);
    }
    if (DataType.isFixedSizeList(type)) {
      const child = this.load(field.children[0], length * type.listSize);
      return createRawData(type, length, nullCount, { bitmap }, [child]);
    }
    if (DataType.isStruct(type)) {
      const children = field.children.map((child) => this.load(child, length));
      return createRawData(type, length, nullCount, { bitmap }, children);
    }
    if (field.form === "decimal32" || field.form === "decimal64") {
      const words = field.form === "decimal32" ? this.#words32(name, length) : this.#words64(name, length);
      return createRawData(type, length, nullCount, { values: wideDecimals(words), bitmap });
    }
    return createRawData(type, length, nullCount, { values: this.#numbers(name, type, length), bitmap });
  }

  /** Returns the memory budget, which all children of a column share. */
  #unfolding(name: string): GatherBudget {
    this.#budget ??= new GatherBudget(name);
    return this.#budget;
  }

  #runs(field: FileField, length: number): Data {
    const [ends, values] = field.children.map((child) => this.load(child, null));
    return unfoldRuns(ends, values, length, this.#unfolding(field.field.name));
  }

  #listView(field: FileField, type: DataType, length: number, { bitmap, nullCount }: Validity): Data {
    const { name } = field.field;
    const large = DataType.isLargeList(type);
    const [starts, sizes] = [0, 1].map(() => (large ? this.#words64(name, length) : this.#words32(name, length)));
    const values = this.load(field.children[0], null);
    const { ends, child } = unfoldLists({ starts, sizes, bitmap }, values, this.#unfolding(name));
    // The lists contain at most 2^28 values, or are stored in order in a child with at most 2^31 - 1 values.
    const offsets = large ? BigInt64Array.from(ends, BigInt) : Int32Array.from(ends);
    return createRawData(type, length, nullCount, { offsets, bitmap }, [child]);
  }

  #words32(name: string, length: number): Int32Array {
    return new Int32Array(this.#ordered(this.#bytes(name, 4 * length), 4).buffer, 0, length);
  }

  #words64(name: string, length: number): BigInt64Array {
    return new BigInt64Array(this.#ordered(this.#bytes(name, 8 * length), 8).buffer, 0, length);
  }

  /**
   * Swaps words of `width` bytes to this machine's byte order. This is done in place, since nothing else uses the
   * buffers.
   */
  #ordered(bytes: Uint8Array, width: number): Uint8Array {
    if (this.#layout.bigEndian) swapBytes(bytes, width);
    return bytes;
  }

  #coded(field: FileField, length: number): Data {
    const { name } = field.field;
    const type: DataType = field.field.type;
    if (!DataType.isDictionary(type) || field.dictionary === null) throw new TypeError("a dictionary is expected");
    const { nullCount, bitmap } = this.#validity(name, length);
    const { id, bits, signed } = field.dictionary;
    const dictionary = this.#dictionaries.get(id);
    if (dictionary === undefined)
      throw new InvalidDataError(`${name} has no dictionary, it should have the number ${id}`);
    const codes = bits === 64 ? this.#wideCodes(name, length, signed) : this.#numbers(name, type.indices, length);
    const isValid = (i: number) => bitmap === undefined || ((bitmap[i >> 3] >> (i & 7)) & 1) === 1;
    for (let i = 0; i < length; i++) {
      const code = Number(codes[i]);
      if (code >= 0 && code < dictionary.length) continue;
      if (isValid(i)) throw new InvalidDataError(`${name} has the code ${code}, there are ${dictionary.length} values`);
      codes[i] = 0;
    }
    return createRawData(type, length, nullCount, { values: codes, bitmap }, [], dictionary);
  }

  #wideCodes(name: string, length: number, signed: boolean): Int32Array {
    const bytes = this.#ordered(this.#bytes(name, 8 * length), 8);
    const wide = signed ? new BigInt64Array(bytes.buffer, 0, length) : new BigUint64Array(bytes.buffer, 0, length);
    // A code that does not fit into Int32 is not a position in any dictionary.
    return Int32Array.from(wide, (code) => (code >= 0n && code < 2n ** 31n ? Number(code) : -1));
  }

  #union(field: FileField, type: DataType, length: number): Data {
    const { name } = field.field;
    if (!DataType.isUnion(type)) throw new TypeError("a union is expected");
    // The type ids of missing rows are unknown, so the children's values cannot be marked as missing instead.
    if (this.#layout.unionBitmaps && this.#validity(name, length).nullCount > 0) {
      throw new UnsupportedError(
        `${name} is a union with missing values of its own, which Arrow has had until version 1.0; write it with a newer one`,
      );
    }
    const ids = new Int8Array(this.#bytes(name, length).buffer, 0, length);
    const dense = DataType.isDenseUnion(type);
    const offsets = dense ? this.#words32(name, length) : undefined;
    const children = field.children.map((child) => this.load(child, dense ? null : length));
    for (let i = 0; i < length; i++) {
      const child: number | undefined = type.typeIdToChildIndex[ids[i]];
      if (ids[i] < 0 || child === undefined)
        throw new InvalidDataError(`${name} has the type id ${ids[i]} in row ${i}`);
      const size = children[child].length;
      if (offsets !== undefined && !(offsets[i] >= 0 && offsets[i] < size)) {
        throw new InvalidDataError(`${name} has the offset ${offsets[i]} in row ${i}, there are ${size} values`);
      }
    }
    return createRawData(type, length, 0, { offsets, typeIds: ids }, children);
  }

  /** Reads a validity bitmap and counts its nulls. The count in the file is ignored. */
  #validity(name: string, length: number): Validity {
    const bitmap = taken(this.#buffers);
    if (bitmap.length === 0) return { bitmap: undefined, nullCount: 0 };
    checkBytes(name, bitmap, getBitmapByteLength(length));
    let valid = 0;
    for (let i = 0; i < length >> 3; i++) valid += ONES[bitmap[i]];
    if ((length & 7) !== 0) valid += ONES[bitmap[length >> 3] & ((1 << (length & 7)) - 1)];
    return valid === length ? { bitmap: undefined, nullCount: 0 } : { bitmap, nullCount: length - valid };
  }

  #bytes(name: string, count: number): Uint8Array {
    const bytes = taken(this.#buffers);
    checkBytes(name, bytes, count);
    return bytes.subarray(0, count);
  }

  #numbers(name: string, type: DataType, length: number) {
    const width = valueWidth(type);
    const bytes = this.#bytes(name, width * length);
    if (this.#layout.bigEndian) swapValues(bytes, type, width);
    const ArrayType = type.ArrayType;
    return new ArrayType(bytes.buffer, 0, bytes.length / ArrayType.BYTES_PER_ELEMENT);
  }

  #smallOffsets(name: string, length: number): Int32Array {
    const given = taken(this.#buffers);
    if (length === 0 && given.length === 0) return new Int32Array(1);
    checkBytes(name, given, 4 * (length + 1));
    this.#ordered(given.subarray(0, 4 * (length + 1)), 4);
    const offsets = new Int32Array(given.buffer, 0, length + 1);
    let before = 0;
    for (let i = 0; i <= length; i++) {
      if (offsets[i] < before) throw new InvalidDataError(`${name} has the offset ${offsets[i]} behind ${before}`);
      before = offsets[i];
    }
    return offsets;
  }

  #offsets32(name: string, length: number): [Int32Array, Uint8Array] {
    const offsets = this.#smallOffsets(name, length);
    const bytes = taken(this.#buffers);
    checkOffset(name, offsets[length], bytes.length);
    return [offsets, bytes];
  }

  #largeOffsets(name: string, length: number): BigInt64Array {
    const given = taken(this.#buffers);
    if (length === 0 && given.length === 0) return new BigInt64Array(1);
    checkBytes(name, given, 8 * (length + 1));
    this.#ordered(given.subarray(0, 8 * (length + 1)), 8);
    const offsets = new BigInt64Array(given.buffer, 0, length + 1);
    let before = 0n;
    for (let i = 0; i <= length; i++) {
      if (offsets[i] < before) throw new InvalidDataError(`${name} has the offset ${offsets[i]} behind ${before}`);
      before = offsets[i];
    }
    return offsets;
  }

  #views16({ field }: FileField, validity: Validity, length: number): [Int32Array, Uint8Array] {
    const views = this.#bytes(field.name, 16 * length);
    const buffers = Array.from({ length: taken(this.#views) }, () => taken(this.#buffers));
    return convertTextViews(field.name, { views, buffers, bigEndian: this.#layout.bigEndian }, length, validity.bitmap);
  }
}

interface Validity {
  /** Absent if no value is missing. */
  readonly bitmap: Uint8Array | undefined;
  readonly nullCount: number;
}

/** Number of set bits in each byte value. */
const ONES = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0;
  for (let rest = byte; rest > 0; rest >>= 1) count += rest & 1;
  return count;
});

/** Returns the number of bytes per value of a fixed-width type. */
function valueWidth(type: DataType): number {
  if (DataType.isFixedSizeBinary(type)) return type.byteWidth;
  if (DataType.isDecimal(type)) return type.bitWidth / 8;
  if (DataType.isInterval(type)) return type.unit === 0 ? 4 : type.unit === 1 ? 8 : 16;
  return type.ArrayType.BYTES_PER_ELEMENT;
}

/** Swaps the bytes of each value as a whole, except for values that consist of several numbers. */
function swapValues(bytes: Uint8Array, type: DataType, width: number): void {
  if (DataType.isFixedSizeBinary(type)) return;
  if (DataType.isInterval(type) && type.unit === IntervalUnit.MONTH_DAY_NANO) swapMonthDayNanos(bytes);
  else swapBytes(bytes, DataType.isInterval(type) ? 4 : width);
}

/** Swaps the bytes of values that consist of two 4-byte words (months, days) and one 8-byte word (nanoseconds). */
function swapMonthDayNanos(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += 16) {
    swapBytes(bytes.subarray(at, at + 8), 4);
    swapBytes(bytes.subarray(at + 8, at + 16), 8);
  }
}

/** Converts integers to 128-bit decimals, which consist of four 32-bit words, lowest first. */
function wideDecimals(values: Int32Array | BigInt64Array): Uint32Array {
  const words = new Uint32Array(4 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = BigInt(values[i]);
    words[4 * i] = Number(value & 0xffffffffn);
    words[4 * i + 1] = Number((value >> 32n) & 0xffffffffn);
    if (value < 0n) words.fill(0xffffffff, 4 * i + 2, 4 * i + 4);
  }
  return words;
}

/** Returns the next part. The number of parts has already been checked by `getColumnParts`. */
function taken<T>(parts: Iterator<T>): T {
  const next = parts.next();
  if (next.done) throw new TypeError("a column has fewer parts than its type");
  return next.value;
}

function checkBytes(name: string, { length }: Uint8Array, expected: number): void {
  if (length < expected) throw new InvalidDataError(`a buffer of ${name} has ${length} bytes, expected ${expected}`);
}

function checkOffset(name: string, last: number, size: number): void {
  if (last > size) throw new InvalidDataError(`${name} has the offset ${last}, there are ${size} values`);
}

function checkText(name: string, invalid: number): void {
  if (invalid >= 0) throw new InvalidDataError(`${name} has text that is not UTF-8 in row ${invalid} of a batch`);
}

function firstInvalidLargeText(offsets: BigInt64Array, bytes: Uint8Array): number {
  const all = bytes.subarray(Number(offsets[0]), Number(offsets[offsets.length - 1]));
  const whole = findInvalidUtf8(all) < 0;
  for (let i = 0; i + 1 < offsets.length; i++) {
    const value = bytes.subarray(Number(offsets[i]), Number(offsets[i + 1]));
    // If the text is valid as a whole, a value can only be invalid because it is cut inside a character.
    if (value.length > 0 && (whole ? (value[0] & 0xc0) === 0x80 : findInvalidUtf8(value) >= 0)) return i;
  }
  return -1;
}
