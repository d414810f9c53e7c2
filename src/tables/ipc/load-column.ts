/** The buffers of a column as apache-arrow's data, with all that it takes on trust checked: lengths, offsets, codes. */

import { type Data, DataType, type Vector } from "apache-arrow";
import { InvalidDataError, UnsupportedError } from "../../errors.js";
import { bitmapBytes } from "../../kernels/bitmap.js";
import { firstInvalidText, firstInvalidUtf8 } from "../../kernels/utf8.js";
import { rawData } from "../raw-data.js";
import { valueType } from "./column-parts.js";
import type { Node } from "./message.js";
import type { FileField } from "./schema.js";
import { plainTexts } from "./views.js";

/** The parts of a column, the bytes of its buffers uncompressed and its own. */
export interface LoadedParts {
  readonly nodes: readonly Node[];
  readonly buffers: readonly Uint8Array[];
  readonly viewBuffers: readonly number[];
}

export type Dictionaries = ReadonlyMap<bigint, Vector>;

/** @throws {InvalidDataError} where the column has other than `rows` rows, or breaks the format. */
export function loadColumn(
  field: FileField,
  parts: LoadedParts,
  rows: number,
  dictionaries: Dictionaries,
  values = false,
): Data {
  return new ColumnLoader(parts, dictionaries).load(field, rows, values);
}

class ColumnLoader {
  readonly #nodes: Iterator<Node>;
  readonly #buffers: Iterator<Uint8Array>;
  readonly #views: Iterator<number>;
  readonly #dictionaries: Dictionaries;

  constructor(parts: LoadedParts, dictionaries: Dictionaries) {
    this.#nodes = parts.nodes[Symbol.iterator]();
    this.#buffers = parts.buffers[Symbol.iterator]();
    this.#views = parts.viewBuffers[Symbol.iterator]();
    this.#dictionaries = dictionaries;
  }

  /** @param rows that the column must have; null where the column itself says. */
  load(field: FileField, rows: number | null, values = false): Data {
    const { name } = field.field;
    const { length } = taken(this.#nodes);
    if (length > 2 ** 31 - 1) throw new UnsupportedError(`${name} has ${length} rows in one batch, 2^31 - 1 are read`);
    if (rows !== null && length !== rows) throw new InvalidDataError(`${name} has ${length} rows, expected ${rows}`);
    if (field.dictionary !== null && !values) return this.#coded(field, length);
    const type = valueType(field);
    if (DataType.isNull(type)) return rawData(type, length, length, {});
    if (DataType.isUnion(type)) return this.#union(field, type, length);
    const validity = this.#validity(name, length);
    const { nullCount, bitmap } = validity;
    if (DataType.isBool(type)) {
      const bits = this.#bytes(name, bitmapBytes(length));
      return rawData(type, length, nullCount, { values: bits, bitmap });
    }
    if (DataType.isUtf8(type) || DataType.isBinary(type)) {
      const [offsets, bytes] = field.view ? this.#views16(field, validity, length) : this.#offsets32(name, length);
      if (DataType.isUtf8(type)) checkText(name, firstInvalidText(offsets, bytes));
      return rawData(type, length, nullCount, { offsets, values: bytes, bitmap });
    }
    if (DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) {
      const offsets = this.#largeOffsets(name, length);
      const bytes = taken(this.#buffers);
      checkOffset(name, Number(offsets[length]), bytes.length);
      if (DataType.isLargeUtf8(type)) checkText(name, firstInvalidLargeText(offsets, bytes));
      return rawData(type, length, nullCount, { offsets, values: bytes, bitmap });
    }
    if (DataType.isList(type) || DataType.isMap(type)) {
      const offsets = this.#smallOffsets(name, length);
      const child = this.load(field.children[0], null);
      checkOffset(name, offsets[length], child.length);
      return rawData(type, length, nullCount, { offsets, bitmap }, [child]);
    }
    if (DataType.isLargeList(type)) {
      const offsets = this.#largeOffsets(name, length);
      const child = this.load(field.children[0], null);
      checkOffset(name, Number(offsets[length]), child.length);
      return rawData(type, length, nullCount, { offsets, bitmap }, [child]);
    }
    if (DataType.isFixedSizeList(type)) {
      const child = this.load(field.children[0], length * type.listSize);
      return rawData(type, length, nullCount, { bitmap }, [child]);
    }
    if (DataType.isStruct(type)) {
      const children = field.children.map((child) => this.load(child, length));
      return rawData(type, length, nullCount, { bitmap }, children);
    }
    return rawData(type, length, nullCount, { values: this.#numbers(name, type, length), bitmap });
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
    return rawData(type, length, nullCount, { values: codes, bitmap }, [], dictionary);
  }

  #wideCodes(name: string, length: number, signed: boolean): Int32Array {
    const bytes = this.#bytes(name, 8 * length);
    const wide = signed ? new BigInt64Array(bytes.buffer, 0, length) : new BigUint64Array(bytes.buffer, 0, length);
    // What no Int32 holds is no position in any dictionary.
    return Int32Array.from(wide, (code) => (code >= 0n && code < 2n ** 31n ? Number(code) : -1));
  }

  #union(field: FileField, type: DataType, length: number): Data {
    const { name } = field.field;
    if (!DataType.isUnion(type)) throw new TypeError("a union is expected");
    const ids = new Int8Array(this.#bytes(name, length).buffer, 0, length);
    const dense = DataType.isDenseUnion(type);
    const offsets = dense ? new Int32Array(this.#bytes(name, 4 * length).buffer, 0, length) : undefined;
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
    return rawData(type, length, 0, { ...(offsets === undefined ? {} : { offsets }), typeIds: ids }, children);
  }

  /** The count is made anew: what the file says is not needed. */
  #validity(name: string, length: number): Validity {
    const bitmap = taken(this.#buffers);
    if (bitmap.length === 0) return { bitmap: undefined, nullCount: 0 };
    checkBytes(name, bitmap, bitmapBytes(length));
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
    const ArrayType = type.ArrayType;
    return new ArrayType(bytes.buffer, 0, bytes.length / ArrayType.BYTES_PER_ELEMENT);
  }

  #smallOffsets(name: string, length: number): Int32Array {
    const given = taken(this.#buffers);
    if (length === 0 && given.length === 0) return new Int32Array(1);
    checkBytes(name, given, 4 * (length + 1));
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
    return plainTexts(field.name, views, buffers, length, validity.bitmap);
  }
}

interface Validity {
  /** Absent where nothing is missing. */
  readonly bitmap: Uint8Array | undefined;
  readonly nullCount: number;
}

/** How many bits are set in a byte. */
const ONES = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0;
  for (let rest = byte; rest > 0; rest >>= 1) count += rest & 1;
  return count;
});

/** Bytes of one value of a type of fixed width. */
function valueWidth(type: DataType): number {
  if (DataType.isFixedSizeBinary(type)) return type.byteWidth;
  if (DataType.isDecimal(type)) return type.bitWidth / 8;
  if (DataType.isInterval(type)) return type.unit === 0 ? 4 : type.unit === 1 ? 8 : 16;
  return type.ArrayType.BYTES_PER_ELEMENT;
}

/** The next of the parts, which were counted before. */
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
  const whole = firstInvalidUtf8(all) < 0;
  for (let i = 0; i + 1 < offsets.length; i++) {
    const value = bytes.subarray(Number(offsets[i]), Number(offsets[i + 1]));
    // Text that is valid as a whole can only be cut inside a character.
    if (value.length > 0 && (whole ? (value[0] & 0xc0) === 0x80 : firstInvalidUtf8(value) >= 0)) return i;
  }
  return -1;
}
