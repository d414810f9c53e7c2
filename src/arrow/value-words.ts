/** Converts between values of any fixed width and arrays of words, which a sort moves entry by entry. */

import type { EntryWords } from "../kernels/sparse/scatter.js";
import { packBits, unpackBits } from "../kernels/values/bitmap.js";
import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import { createZeros, type NumberArray, viewAsBytes, viewLike } from "../model/stored.js";
import type { Column, PrimitiveColumn } from "./column.js";
import { type ArrowType, describeArrowType } from "./type.js";

/** Words of `bytes` bytes each; `step` words form one entry. */
export interface WordShape {
  readonly bytes: 1 | 2 | 4;
  readonly step: number;
}

/**
 * Returns the shapes of the word arrays for values of `type`: one array per primitive leaf. A boolean takes one byte.
 * @throws {UnsupportedError} for types whose values vary in width.
 */
export function getWordShapes(type: ArrowType): WordShape[] {
  switch (type.id) {
    case "Bool":
      return [{ bytes: 1, step: 1 }];
    case "Int":
    case "Float":
      return [wordShape(type.bits / 8)];
    case "Date32":
      return [wordShape(4)];
    case "Timestamp":
    case "Duration":
      return [wordShape(8)];
    case "FixedSizeBinary":
      return [{ bytes: 1, step: type.width }];
    case "FixedSizeList":
      if (hasBool(type.item.type)) break;
      return getWordShapes(type.item.type).map(({ bytes, step }) => ({ bytes, step: step * type.size }));
    case "Struct":
      return type.fields.flatMap((one) => getWordShapes(one.type));
    case "Null":
    case "Utf8":
    case "Binary":
    case "List":
    case "Dictionary":
    case "DenseUnion":
      break;
    default:
      return type satisfies never;
  }
  throw new UnsupportedError(`entries with values of type ${describeArrowType(type)} cannot be sorted`);
}

function wordShape(width: number): WordShape {
  if (width === 1 || width === 2) return { bytes: width, step: 1 };
  return { bytes: 4, step: width / 4 };
}

function hasBool(type: ArrowType): boolean {
  if (type.id === "FixedSizeList") return hasBool(type.item.type);
  return type.id === "Bool" || (type.id === "Struct" && type.fields.some((one) => hasBool(one.type)));
}

/** Returns the size in bytes of one entry in all word arrays together. */
export function countEntryBytes(shapes: readonly WordShape[]): number {
  return shapes.reduce((sum, { bytes, step }) => sum + bytes * step, 0);
}

export function allocateWords(shape: WordShape, count: number): EntryWords {
  return getWordsInMemory(shape, new Uint8Array(count * shape.bytes * shape.step));
}

/** Returns `memory` as words; it must start at a multiple of 4. */
export function getWordsInMemory({ bytes }: WordShape, { buffer, byteOffset, length }: Uint8Array): EntryWords {
  switch (bytes) {
    case 1:
      return new Uint8Array(buffer, byteOffset, length);
    case 2:
      return new Uint16Array(buffer, byteOffset, length / 2);
    case 4:
      return new Int32Array(buffer, byteOffset, length / 4);
    default:
      return bytes satisfies never;
  }
}

/**
 * Returns the words of a column, in the order of `getWordShapes`. They share the column's memory, except for booleans.
 * @throws {InvalidInputError} for a null.
 */
export function getColumnWords(column: Column): EntryWords[] {
  if (column.validity !== null && column.validity.nullCount > 0) {
    throw new InvalidInputError(`${column.validity.nullCount} of ${column.length} values are null`);
  }
  switch (column.layout) {
    case "primitive":
      if (column.type.id === "Bool") return [unpackBits(viewAsBytes(column.values), column.length)];
      return [wordsOfValues(column)];
    case "fixed-size-list":
      return getColumnWords(column.child);
    case "struct":
      return column.children.flatMap(getColumnWords);
    default:
      throw new UnsupportedError(`entries with values of type ${describeArrowType(column.type)} cannot be sorted`);
  }
}

/** Returns the words of a primitive column, whose array may be longer than the column. */
function wordsOfValues({ type, values, length }: PrimitiveColumn): EntryWords {
  const [shape] = getWordShapes(type);
  const bytes = viewAsBytes(values).subarray(0, length * shape.bytes * shape.step);
  if (bytes.length < length * shape.bytes * shape.step) {
    throw new InvalidInputError(`${values.length} values in a column of ${length}`);
  }
  return shape.bytes === 1
    ? bytes
    : shape.bytes === 2
      ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
      : new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

/** Makes a column from all `words`, with the type of `like`, without copying. */
export function createColumnFromWords(like: Column, words: readonly EntryWords[], length: number): Column {
  const rest = [...words];
  return build(like, rest, length);
}

function build(like: Column, rest: EntryWords[], length: number): Column {
  switch (like.layout) {
    case "primitive": {
      const words = rest.shift() ?? new Uint8Array(0);
      const bytes = viewAsBytes(words);
      const values: NumberArray =
        like.type.id === "Bool" ? packBits(bytes) : viewLike(createZeros(like.values, 0), bytes);
      return { layout: "primitive", type: like.type, length, validity: null, values };
    }
    case "fixed-size-list":
      return { ...like, length, validity: null, child: build(like.child, rest, length * like.type.size) };
    case "struct":
      return { ...like, length, validity: null, children: like.children.map((child) => build(child, rest, length)) };
    default:
      throw new UnsupportedError(`entries with values of type ${describeArrowType(like.type)} cannot be sorted`);
  }
}
