/**
 * Converts the vectors in DuckDB's results to Arrow data. Bytes are copied, because DuckDB reuses the vectors' memory.
 */

import {
  Binary,
  Bool,
  type Data,
  type DataType,
  Dictionary,
  Field,
  FixedSizeList,
  List,
  Map_,
  makeData,
  SparseUnion,
  Struct,
  Uint8,
  Uint16,
  Uint32,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { createRawData } from "../../arrow/apache/raw-data.js";
import { getBitmapByteLength, isBitSet, packBits } from "../../kernels/values/bitmap.js";
import { UnsupportedError } from "../../model/errors.js";
import { computeListSizes, sumValueSizes, type ValueSizes } from "./answer-limit.js";
import { findFixedType } from "./fixed-types.node.js";
import type { Bindings, NativeType, NativeVector } from "./native-connection.node.js";

/** The elements to read from a vector: all `size` elements, or those at `picked`, in that order. */
export interface Elements {
  readonly size: number;
  readonly picked: Int32Array | null;
}

export interface VectorReader {
  readonly type: DataType;
  /** Returns the bytes of the first `size` values of a vector without reading the values. */
  sizes(vector: NativeVector, size: number): ValueSizes;
  read(vector: NativeVector, elements: Elements): Data;
}

/** The values of a column, with their nulls. */
interface Stored {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly length: number;
  readonly nullCount: number;
  readonly nullBitmap: Uint8Array | null;
  readonly isValid: (i: number) => boolean;
}

/**
 * Creates a reader for vectors of a DuckDB type. The Arrow types are the same as in DuckDB's own export.
 * @param column the column's name for errors.
 * @throws {UnsupportedError} for types without an Arrow equivalent.
 */
export function createVectorReader(bindings: Bindings, type: NativeType, column: string): VectorReader {
  const ids = bindings.Type;
  const inner = (one: NativeType) => createVectorReader(bindings, one, column);
  const fixed = findFixedType(bindings, type, column);
  if (fixed !== null) {
    const { type: arrow, width, values } = fixed;
    return flat(arrow, width, ({ bytes, isValid }) => ({ data: values(bytes, isValid) }));
  }
  const id = bindings.get_type_id(type);
  switch (id) {
    case ids.BOOLEAN:
      return flat(new Bool(), 1, ({ bytes }) => ({ data: packBits(bytes) }));
    case ids.UUID:
      return flat(new Utf8(), 16, uuidTexts);
    case ids.VARCHAR:
      return text(new Utf8());
    case ids.BLOB:
    case ids.BIT:
    case ids.BIGNUM:
    case ids.GEOMETRY:
      return text(new Binary());
    case ids.ENUM:
      return enumReader(
        bindings,
        listed(bindings.enum_dictionary_size(type), (i) => bindings.enum_dictionary_value(type, i)),
      );
    case ids.LIST: {
      const values = inner(bindings.list_type_child_type(type));
      return listReader(bindings, new List(new Field("l", values.type, true)), values);
    }
    case ids.MAP: {
      const [key, value] = [inner(bindings.map_type_key_type(type)), inner(bindings.map_type_value_type(type))];
      const entries = new Struct([new Field("key", key.type, false), new Field("value", value.type, true)]);
      const arrow = new Map_(new Field("entries", entries, false));
      return listReader(bindings, arrow, structReader(bindings, entries, [key, value]));
    }
    case ids.ARRAY:
      return arrayReader(bindings, inner(bindings.array_type_child_type(type)), bindings.array_type_array_size(type));
    case ids.STRUCT: {
      const count = bindings.struct_type_child_count(type);
      const readers = listed(count, (i) => inner(bindings.struct_type_child_type(type, i)));
      const fields = readers.map((one, i) => new Field(bindings.struct_type_child_name(type, i), one.type, true));
      return structReader(bindings, new Struct(fields), readers);
    }
    case ids.UNION: {
      const count = bindings.union_type_member_count(type);
      const names = listed(count, (i) => bindings.union_type_member_name(type, i));
      const readers = listed(count, (i) => inner(bindings.union_type_member_type(type, i)));
      return unionReader(bindings, names, readers);
    }
    default:
      throw new UnsupportedError(`column "${column}" is of the type ${ids[id]}, which Arrow lacks; cast it to VARCHAR`);
  }

  function text(arrow: DataType): VectorReader {
    return {
      ...flat(arrow, CELL, (stored) => textValues(bindings, stored, column)),
      sizes: (vector, size) => textSizes(bindings, vector, size),
    };
  }

  function flat(arrow: DataType, width: number, values: (stored: Stored) => object): VectorReader {
    return {
      type: arrow,
      sizes: () => width,
      read(vector, elements) {
        const stored = storedValues(bindings, vector, elements, width);
        const { length, nullCount, nullBitmap } = stored;
        return makeData({ type: arrow, length, nullCount, nullBitmap, ...values(stored) });
      },
    };
  }
}

const listed = <T>(length: number, at: (i: number) => T): T[] => Array.from({ length }, (_, i) => at(i));

const lengthOf = ({ size, picked }: Elements) => picked?.length ?? size;

function storedValues(bindings: Bindings, vector: NativeVector, elements: Elements, width: number): Stored {
  const { size, picked } = elements;
  const length = lengthOf(elements);
  const stored = size === 0 || width === 0 ? new Uint8Array(0) : bindings.vector_get_data(vector, size * width);
  const bytes = picked === null ? Uint8Array.from(stored) : takeBytes(stored, picked, width);
  return { bytes, length, ...validity(bindings, vector, elements) };
}

/** Returns a vector's validity. The bits have the same order as in Arrow. */
function validity(bindings: Bindings, vector: NativeVector, elements: Elements): Omit<Stored, "bytes" | "length"> {
  const { size, picked } = elements;
  const stored = size === 0 ? null : bindings.vector_get_validity(vector, Math.ceil(size / 64) * 8);
  if (!stored) return { nullCount: 0, nullBitmap: null, isValid: () => true };
  const length = lengthOf(elements);
  const nullBitmap = new Uint8Array(getBitmapByteLength(length));
  let nullCount = 0;
  for (let i = 0; i < length; i++) {
    if (isBitSet(stored, picked === null ? i : picked[i])) nullBitmap[i >> 3] |= 1 << (i & 7);
    else nullCount++;
  }
  return { nullCount, nullBitmap, isValid: (i) => isBitSet(nullBitmap, i) };
}

function takeBytes(bytes: Uint8Array, picked: Int32Array, width: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(picked.length * width);
  for (let i = 0, at = 0; i < picked.length; i++) {
    for (let from = picked[i] * width, end = from + width; from < end; from++) out[at++] = bytes[from];
  }
  return out;
}

/**
 * Bytes of a text in a vector: the length, followed by the text if it has at most 12 bytes, and otherwise by a pointer.
 */
const CELL = 16;
const INLINE = 12;

function textSizes(bindings: Bindings, vector: NativeVector, size: number): ValueSizes {
  if (size === 0) return 0;
  const { buffer, byteOffset, byteLength } = bindings.vector_get_data(vector, size * CELL);
  const cells = new DataView(buffer, byteOffset, byteLength);
  const { isValid } = validity(bindings, vector, { size, picked: null });
  return Float64Array.from({ length: size }, (_, i) => (isValid(i) ? cells.getUint32(i * CELL, true) : 0));
}

function textValues(bindings: Bindings, { bytes, length, isValid }: Stored, column: string): object {
  const cells = new DataView(bytes.buffer);
  const valueOffsets = new Int32Array(length + 1);
  let total = 0;
  for (let i = 0; i < length; i++) {
    if (isValid(i)) total += cells.getUint32(i * CELL, true);
    if (total > 2 ** 31 - 1) {
      throw new UnsupportedError(`column "${column}" has more than 2 GiB in ${length} rows; cast it to smaller values`);
    }
    valueOffsets[i + 1] = total;
  }
  const data = new Uint8Array(total);
  for (let i = 0; i < length; i++) {
    const at = valueOffsets[i];
    const count = valueOffsets[i + 1] - at;
    const text =
      count <= INLINE
        ? bytes.subarray(i * CELL + 4, i * CELL + 4 + count)
        : bindings.get_data_from_pointer(bytes.buffer, i * CELL + 8, count);
    data.set(text, at);
  }
  return { valueOffsets, data };
}

/** Converts 128-bit UUIDs to text. DuckDB inverts the highest bit of each. */
function uuidTexts({ bytes, length }: Stored): object {
  const valueOffsets = Int32Array.from({ length: length + 1 }, (_, i) => 36 * i);
  const text: string[] = [];
  for (let i = 0; i < length; i++) {
    const hex: string[] = [];
    for (let k = 15; k >= 0; k--) {
      const byte = bytes[16 * i + k] ^ (k === 15 ? 0x80 : 0);
      hex.push(byte.toString(16).padStart(2, "0"));
    }
    const all = hex.join("");
    const parts = [all.slice(0, 8), all.slice(8, 12), all.slice(12, 16), all.slice(16, 20), all.slice(20)];
    text.push(parts.join("-"));
  }
  return { valueOffsets, data: new TextEncoder().encode(text.join("")) };
}

function enumReader(bindings: Bindings, names: readonly string[]): VectorReader {
  const [width, indices, Codes] =
    names.length <= 2 ** 8
      ? ([1, new Uint8(), Uint8Array] as const)
      : names.length <= 2 ** 16
        ? ([2, new Uint16(), Uint16Array] as const)
        : ([4, new Uint32(), Uint32Array] as const);
  const dictionary = vectorFromArray(names, new Utf8());
  // DuckDB orders the values of an ENUM by their codes, so the dictionary is ordered.
  const type = new Dictionary(new Utf8(), indices, null, true);
  return {
    type,
    sizes: () => width,
    read(vector, elements) {
      const { bytes, length, nullCount, nullBitmap } = storedValues(bindings, vector, elements, width);
      const data = new Codes(bytes.buffer);
      return makeData({ type, length, nullCount, nullBitmap, data, dictionary });
    },
  };
}

/** Bytes of a list entry: offset and length. */
const PAIR = 16;

/**
 * Reads lists, which are stored as pairs of an offset and a length. The lists' elements may be in any order, with
 * unused elements between them.
 */
function listReader(bindings: Bindings, type: List | Map_, values: VectorReader): VectorReader {
  return {
    type,
    sizes(vector, size) {
      const { bytes, isValid } = storedValues(bindings, vector, { size, picked: null }, PAIR);
      const pairs = new BigUint64Array(bytes.buffer);
      const inner = values.sizes(bindings.list_vector_get_child(vector), bindings.list_vector_get_size(vector));
      return computeListSizes(inner, size, (i) => {
        const first = isValid(i) ? Number(pairs[2 * i]) : 0;
        return [first, isValid(i) ? first + Number(pairs[2 * i + 1]) : 0];
      });
    },
    read(vector, elements) {
      const { bytes, length, nullCount, nullBitmap, isValid } = storedValues(bindings, vector, elements, PAIR);
      const pairs = new BigUint64Array(bytes.buffer);
      const valueOffsets = new Int32Array(length + 1);
      for (let i = 0; i < length; i++)
        valueOffsets[i + 1] = valueOffsets[i] + (isValid(i) ? Number(pairs[2 * i + 1]) : 0);
      const picked = new Int32Array(valueOffsets[length]);
      for (let i = 0; i < length; i++) {
        const first = Number(pairs[2 * i]) - valueOffsets[i];
        for (let at = valueOffsets[i]; at < valueOffsets[i + 1]; at++) picked[at] = first + at;
      }
      const size = bindings.list_vector_get_size(vector);
      const child = values.read(bindings.list_vector_get_child(vector), { size, picked });
      return createRawData(type, length, nullCount, { offsets: valueOffsets, bitmap: nullBitmap ?? undefined }, [
        child,
      ]);
    },
  };
}

function arrayReader(bindings: Bindings, values: VectorReader, width: number): VectorReader {
  const type = new FixedSizeList(width, new Field("", values.type, true));
  return {
    type,
    sizes(vector, size) {
      const inner = values.sizes(bindings.array_vector_get_child(vector), size * width);
      return computeListSizes(inner, size, (i) => [i * width, (i + 1) * width]);
    },
    read(vector, elements) {
      const { size, picked } = elements;
      const within =
        picked &&
        Int32Array.from(
          { length: picked.length * width },
          (_, i) => picked[Math.floor(i / width)] * width + (i % width),
        );
      const child = values.read(bindings.array_vector_get_child(vector), { size: size * width, picked: within });
      const { nullCount, nullBitmap } = validity(bindings, vector, elements);
      return makeData({ type, length: lengthOf(elements), nullCount, nullBitmap, child });
    },
  };
}

function structReader(bindings: Bindings, type: Struct, readers: readonly VectorReader[]): VectorReader {
  return {
    type,
    sizes: (vector, size) =>
      sumValueSizes(
        readers.map((one, i) => one.sizes(bindings.struct_vector_get_child(vector, i), size)),
        size,
      ),
    read(vector, elements) {
      const children = readers.map((one, i) => one.read(bindings.struct_vector_get_child(vector, i), elements));
      const { nullCount, nullBitmap } = validity(bindings, vector, elements);
      return makeData({ type, length: lengthOf(elements), nullCount, nullBitmap, children });
    },
  };
}

/** Reads unions, which are stored as structs of all members, preceded by the position of the active member. */
function unionReader(bindings: Bindings, names: readonly string[], readers: readonly VectorReader[]): VectorReader {
  const fields = readers.map((one, i) => new Field(names[i], one.type, true));
  const type = new SparseUnion(
    Int32Array.from(names, (_, i) => i),
    fields,
  );
  return {
    type,
    sizes: (vector, size) =>
      sumValueSizes(
        readers.map((one, i) => one.sizes(bindings.struct_vector_get_child(vector, i + 1), size)),
        size,
      ),
    read(vector, elements) {
      const child = (i: number) => bindings.struct_vector_get_child(vector, i);
      const { bytes, length, isValid } = storedValues(bindings, child(0), elements, 1);
      // A null union has no valid type id, because its byte is arbitrary. All its members are null.
      const typeIds = new Int8Array(length).map((_, i) => (isValid(i) ? bytes[i] : 0));
      const children = readers.map((one, i) => one.read(child(i + 1), elements));
      return createRawData(type, length, 0, { typeIds }, children);
    },
  };
}
