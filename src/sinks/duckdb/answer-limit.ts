/**
 * Bounds what one value, one row and one batch of an answer take. Each is copied several times on its way to whoever asked,
 * beside the memory of DuckDB, whose own limit does not count the values of an answer.
 */

import { type Data, DataType, type RecordBatch } from "apache-arrow";
import { InvalidInputError } from "../../model/errors.js";

/** Bytes of a value, a row and a batch of an answer, where nothing else is asked for. */
export const CELL_BYTES = 2 ** 26;

export interface AnswerLimit {
  /** Most bytes of a value and of a row, and of a batch of several rows. */
  readonly bytes: number;
  /** What to do about a value or a row beyond them, as the end of a message. */
  readonly advice: string;
}

/** Bytes of the values of a column: of each, or one for each row. */
export type ValueSizes = number | Float64Array;

/**
 * Cuts the rows of a batch so that no range of several rows has more bytes than `limit` allows.
 * @param sizes of each column, `names` in its order.
 * @returns pairs of the first row of a range and the one behind its last.
 * @throws {InvalidInputError} where a value or a row has more.
 */
export function boundedRanges(
  rows: number,
  names: readonly string[],
  sizes: readonly ValueSizes[],
  { bytes: most, advice }: AnswerLimit,
): readonly (readonly [number, number])[] {
  const varying = sizes.flatMap((size, i) => (typeof size === "number" ? [] : [{ name: names[i], size }]));
  const fixed = sizes.reduce<number>((sum, size) => sum + (typeof size === "number" ? size : 0), 0);
  if (varying.length === 0 && fixed * rows <= most) return rows === 0 ? [] : [[0, rows]];
  const ranges: [number, number][] = [];
  let [start, taken] = [0, 0];
  for (let row = 0; row < rows; row++) {
    let bytes = fixed;
    for (const { name, size } of varying) {
      if (size[row] > most) throw exceeding(`a value of column "${name}"`, size[row], most, advice);
      bytes += size[row];
    }
    if (bytes > most) throw exceeding("a row", bytes, most, advice);
    if (taken + bytes > most && row > start) {
      ranges.push([start, row]);
      [start, taken] = [row, 0];
    }
    taken += bytes;
  }
  if (rows > start) ranges.push([start, rows]);
  return ranges;
}

function exceeding(what: string, bytes: number, most: number, advice: string): InvalidInputError {
  return new InvalidInputError(`${what} of the answer has ${bytes} bytes, more than ${most}: ${advice}`);
}

/** Ranges of the rows of a batch, as `boundedRanges` cuts them. */
export function batchRanges(batch: RecordBatch, limit: AnswerLimit): readonly (readonly [number, number])[] {
  const names = batch.schema.fields.map(({ name }) => name);
  return boundedRanges(batch.numRows, names, batch.data.children.map(sizesOf), limit);
}

/** The bytes of the values of a column. */
function sizesOf(data: Data): ValueSizes {
  const { type, length } = data;
  if (DataType.isUtf8(type) || DataType.isBinary(type) || DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) {
    const { valueOffsets } = data;
    return Float64Array.from({ length }, (_, i) => Number(valueOffsets[i + 1]) - Number(valueOffsets[i]));
  }
  if (DataType.isList(type) || DataType.isMap(type)) {
    const { valueOffsets } = data;
    return rangeSizes(sizesOf(data.children[0]), length, (i) => [valueOffsets[i], valueOffsets[i + 1]]);
  }
  if (DataType.isFixedSizeList(type)) {
    const { listSize } = type;
    return rangeSizes(sizesOf(data.children[0]), length, (i) => [i * listSize, (i + 1) * listSize]);
  }
  if (DataType.isStruct(type) || DataType.isUnion(type)) return summedSizes(data.children.map(sizesOf), length);
  return length === 0 ? 0 : data.byteLength / length;
}

/** Sizes of values that hold other values each. */
export function summedSizes(parts: readonly ValueSizes[], length: number): ValueSizes {
  const fixed = parts.reduce<number>((sum, part) => sum + (typeof part === "number" ? part : 0), 0);
  const varying = parts.filter((part) => typeof part !== "number");
  if (varying.length === 0) return fixed;
  return Float64Array.from({ length }, (_, i) => varying.reduce((sum, part) => sum + part[i], fixed));
}

/** Sizes of lists, each of which has the elements from the first number up to the second. */
export function rangeSizes(
  elements: ValueSizes,
  length: number,
  rangeAt: (i: number) => readonly [number, number],
): Float64Array {
  const upTo = typeof elements === "number" ? null : new Float64Array(elements.length + 1);
  if (upTo !== null && typeof elements !== "number") {
    for (let i = 0; i < elements.length; i++) upTo[i + 1] = upTo[i] + elements[i];
  }
  return Float64Array.from({ length }, (_, i) => {
    const [from, to] = rangeAt(i);
    return upTo === null ? (to - from) * Number(elements) : upTo[to] - upTo[from];
  });
}
