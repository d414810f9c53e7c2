/** Converts the bytes of elements to values. */

import { convertFixedText } from "../../../kernels/text/fixed-text.js";
import { TextBuilder } from "../../../kernels/text/text-builder.js";
import { swapBytes } from "../../../kernels/values/byte-order.js";
import { gatherMembers } from "../../../kernels/values/gather-records.js";
import { checkTextBytes } from "../../../kernels/values/join-values.js";
import { InvalidDataError, InvalidInputError, UnsupportedError } from "../../../model/errors.js";
import {
  countElements,
  type FixedValues,
  type NumberArray,
  type RecordValues,
  type SequenceValues,
  type StoredValues,
  type VariableValues,
} from "../../../model/stored.js";
import { Cursor, createDataView } from "../bytes/cursor.js";
import type { Heap } from "../heaps/heap.js";
import {
  type CompoundDatatype,
  type Datatype,
  extendPrecision,
  type IntegerDatatype,
  type SequenceDatatype,
} from "../types/datatype.js";
import { decodeOddFloats } from "../types/odd-float.js";
import { isCharacters, isComplex } from "../types/stored-type.js";

/**
 * @param bytes `count` elements of `type.size` bytes. The function changes them, and may return their memory.
 * @param heap finds the values that the pointers in `bytes` refer to.
 * @throws {UnsupportedError} for types without a decoded form.
 */
export function decodeValues(type: Datatype, bytes: Uint8Array, count: number, heap: Heap): StoredValues {
  switch (type.class) {
    case "integer":
      return fixed(integers(type, bytes));
    case "enum":
      return fixed(integers(type.base, bytes));
    case "float":
      if (type.odd !== null) return fixed(decodeOddFloats(type, bytes, count));
      if (type.bigEndian) swapBytes(bytes, type.size);
      return fixed(floats(aligned(bytes, type.size), type.size));
    case "fixed-string":
      checkTextBytes(bytes.length);
      return { kind: "variable", ...convertFixedText(bytes, type.size, count, type.padding) };
    case "variable-string":
      return heap.text(bytes, count);
    case "opaque":
      return fixed(bytes);
    case "reference":
      if (type.target === "region") return decodeRegions(bytes, type.size, count, heap);
      if (type.target === "other") throw new UnsupportedError("HDF5 reference of version 1.12");
      return fixed(typed(aligned(bytes, 8), (buffer, at, n) => new BigUint64Array(buffer, at, n), 8));
    case "complex":
      return decodeValues(type.base, bytes, 2 * count, heap);
    case "array":
      return decodeValues(type.base, bytes, count * countElements(type.shape), heap);
    case "compound": {
      const members = type.members.map(({ offset, type: { size: width } }) => ({
        ...{ offset, width },
        target: new Uint8Array(count * width),
      }));
      gatherMembers(bytes, type.size, count, members);
      const fields = members.map(({ target }, i) => decodeValues(type.members[i].type, target, count, heap));
      return isComplex(type) ? fixed(interleave(type, fields, count)) : { kind: "record", length: count, fields };
    }
    case "sequence":
      if (isCharacters(type)) return characters(bytes, type.size, count, heap);
      return sequences(type, bytes, count, heap);
    case "other":
      throw new UnsupportedError(type.name);
    default:
      return type satisfies never;
  }
}

/**
 * Decodes text stored as a sequence of characters. In h5wasm's memory this text has another layout than
 * variable-length text.
 */
function characters(elements: Uint8Array, size: number, count: number, heap: Heap): VariableValues {
  const text = new TextBuilder(count, 16 * count);
  for (let i = 0; i < count; i++) {
    const bytes = heap.sequence(elements.subarray(i * size, (i + 1) * size), 1);
    text.add(createDataView(bytes), 0, bytes.length);
  }
  return text.finish();
}

/** Maximum size in bytes of all items in one read. */
const MAX_ITEM_BYTES = 2 ** 31 - 1;

function sequences(type: SequenceDatatype, elements: Uint8Array, count: number, heap: Heap): SequenceValues {
  const { base, size } = type;
  const parts: Uint8Array[] = [];
  const offsets = new Int32Array(count + 1);
  let bytes = 0;
  for (let i = 0; i < count; i++) {
    const part = heap.sequence(elements.subarray(i * size, (i + 1) * size), base.size);
    parts.push(part);
    bytes += part.length;
    if (bytes > MAX_ITEM_BYTES) {
      throw new InvalidInputError(
        `${bytes} bytes of sequences in one read; at most ${MAX_ITEM_BYTES}: read fewer rows`,
      );
    }
    offsets[i + 1] = bytes / base.size;
  }
  const items = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    items.set(part, at);
    at += part.length;
  }
  return { kind: "sequence", offsets, values: decodeValues(base, items, bytes / base.size, heap) };
}

function fixed(values: NumberArray): FixedValues {
  return { kind: "fixed", values };
}

/**
 * Returns bytes whose offset is a multiple of `width`, as typed arrays require. Bytes at any other offset are copied.
 */
function aligned(bytes: Uint8Array, width: number): Uint8Array {
  return bytes.byteOffset % width === 0 ? bytes : bytes.slice();
}

function typed<T>(bytes: Uint8Array, make: (buffer: ArrayBufferLike, at: number, count: number) => T, size: number): T {
  return make(bytes.buffer, bytes.byteOffset, bytes.length / size);
}

function integers(type: IntegerDatatype, bytes: Uint8Array): NumberArray {
  if (type.bigEndian) swapBytes(bytes, type.size);
  extendPrecision(bytes, type);
  const { buffer, byteOffset: at, length } = aligned(bytes, type.size);
  switch (type.size) {
    case 1:
      return type.signed ? new Int8Array(buffer, at, length) : new Uint8Array(buffer, at, length);
    case 2:
      return type.signed ? new Int16Array(buffer, at, length / 2) : new Uint16Array(buffer, at, length / 2);
    case 4:
      return type.signed ? new Int32Array(buffer, at, length / 4) : new Uint32Array(buffer, at, length / 4);
    case 8:
      return type.signed ? new BigInt64Array(buffer, at, length / 8) : new BigUint64Array(buffer, at, length / 8);
    default:
      throw new UnsupportedError(`integer of ${type.size} bytes`);
  }
}

function floats({ buffer, byteOffset: at, length }: Uint8Array, size: number): NumberArray {
  switch (size) {
    case 2:
      return new Uint16Array(buffer, at, length / 2);
    case 4:
      return new Float32Array(buffer, at, length / 4);
    default:
      return new Float64Array(buffer, at, length / 8);
  }
}

function interleave(type: CompoundDatatype, fields: readonly StoredValues[], count: number): NumberArray {
  const out = type.members[0].type.size === 4 ? new Float32Array(2 * count) : new Float64Array(2 * count);
  fields.forEach((field, part) => {
    if (field.kind !== "fixed") return;
    for (let i = 0; i < count; i++) out[2 * i + part] = Number(field.values[i]);
  });
  return out;
}

// A region reference is an object and a selection of its elements, stored in a heap. Source: HDF5 File Format
// Specification, "Reference Encoding: dataset region", and the selections in VIII.A.

const ADDRESS_BYTES = 8;
const MAX_RANK = 32;

/**
 * Maximum number of boxes in the selections of one read, because a regular pattern of a few bytes can declare any
 * number of boxes.
 */
const MAX_BOXES = 2 ** 18;

/**
 * Decodes each region reference to an object and a selection. A selection of points has one list for each point: its
 * coordinates. A selection of boxes has one list for each box: the coordinates of the first element, then the
 * coordinates of the last. A selection of all elements is a single empty list.
 */
function decodeRegions(elements: Uint8Array, size: number, count: number, heap: Heap): RecordValues {
  const objects = new BigUint64Array(count);
  const boxes = new Int32Array(count + 1);
  const lists: (readonly number[])[] = [];
  for (let i = 0; i < count; i++) {
    const bytes = heap.region(elements.subarray(i * size, (i + 1) * size));
    if (bytes !== null) {
      const cursor = new Cursor(bytes, "region reference");
      objects[i] = BigInt(cursor.uint(ADDRESS_BYTES));
      for (const list of selection(cursor)) lists.push(list);
      if (lists.length > MAX_BOXES) {
        throw new UnsupportedError(`selections of more than ${MAX_BOXES} boxes; read fewer rows`);
      }
    }
    boxes[i + 1] = lists.length;
  }
  const offsets = new Int32Array(lists.length + 1);
  for (const [i, list] of lists.entries()) offsets[i + 1] = offsets[i] + list.length;
  const numbers = BigInt64Array.from(lists.flat(), (number) => BigInt(number));
  const places = { kind: "sequence", offsets, values: { kind: "fixed", values: numbers } } as const;
  return {
    kind: "record",
    length: count,
    fields: [
      { kind: "fixed", values: objects },
      { kind: "sequence", offsets: boxes, values: places },
    ],
  };
}

function selection(cursor: Cursor): (readonly number[])[] {
  const kind = cursor.u32();
  const version = cursor.u32();
  switch (kind) {
    case 0:
      return [];
    case 1:
      return points(cursor, version);
    case 2:
      return version === 1 ? blocks(cursor, skipped(cursor), 4) : hyperslab(cursor, version);
    case 3:
      return [[]];
    default:
      throw new InvalidDataError(`selection of the kind ${kind}; 0 to 3 exist`);
  }
}

/** Skips an unused 32-bit number and a 32-bit length, and reads the number of dimensions. */
function skipped(cursor: Cursor): number {
  cursor.skip(8);
  return rankOf(cursor);
}

function rankOf(cursor: Cursor): number {
  const rank = cursor.u32();
  if (rank < 1 || rank > MAX_RANK)
    throw new InvalidDataError(`selection of ${rank} dimensions; 1 to ${MAX_RANK} exist`);
  return rank;
}

function points(cursor: Cursor, version: number): (readonly number[])[] {
  if (version < 1 || version > 2) throw new InvalidDataError(`points of version ${version}; 1 and 2 exist`);
  const width = version === 1 ? 4 : widthOf(cursor);
  const rank = version === 1 ? skipped(cursor) : rankOf(cursor);
  const count = counted(cursor, width, rank);
  return Array.from({ length: count }, () => numbers(cursor, rank, width));
}

function blocks(cursor: Cursor, rank: number, width: 2 | 4 | 8): (readonly number[])[] {
  const count = counted(cursor, width, 2 * rank);
  return Array.from({ length: count }, () => numbers(cursor, 2 * rank, width));
}

/** Reads a hyperslab of version 2 or 3. A regular hyperslab is stored as a pattern, any other hyperslab as blocks. */
function hyperslab(cursor: Cursor, version: number): (readonly number[])[] {
  if (version > 3) throw new InvalidDataError(`hyperslab of version ${version}; 1 to 3 exist`);
  const isRegular = (cursor.u8() & 1) !== 0;
  const width = version === 3 ? widthOf(cursor) : 8;
  if (version === 2) cursor.skip(4);
  const rank = rankOf(cursor);
  if (!isRegular) return blocks(cursor, rank, width);
  const pattern = Array.from({ length: rank }, () => numbers(cursor, 4, width));
  let starts: number[][] = [[]];
  for (const [start, stride, count] of pattern) {
    if (!(starts.length * count <= MAX_BOXES)) {
      throw new UnsupportedError(`a selection of more than ${MAX_BOXES} boxes`);
    }
    starts = starts.flatMap((before) => Array.from({ length: count }, (_, i) => [...before, start + i * stride]));
  }
  return starts.map((first) => [...first, ...first.map((at, d) => at + pattern[d][3] - 1)]);
}

function widthOf(cursor: Cursor): 2 | 4 | 8 {
  const width = cursor.u8();
  if (width === 2 || width === 4 || width === 8) return width;
  throw new InvalidDataError(`numbers of ${width} bytes in a selection`);
}

/** Reads a count of lists, and checks that enough bytes follow for that many lists of `each` numbers. */
function counted(cursor: Cursor, width: 2 | 4 | 8, each: number): number {
  const count = cursor.uint(width);
  if (count * each * width <= cursor.remaining) return count;
  throw new InvalidDataError(`selection of ${count} lists in ${cursor.remaining} bytes`);
}

function numbers(cursor: Cursor, count: number, width: 2 | 4 | 8): number[] {
  return Array.from({ length: count }, () => cursor.uint(width));
}
