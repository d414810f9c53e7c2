/**
 * Limits the size of a value, a row and a batch in a result. Each is copied several times on its way to the client, in
 * memory that DuckDB's own limit does not cover.
 */

import { type Data, DataType, type RecordBatch } from "apache-arrow";
import { InvalidInputError } from "../../model/errors.js";

/** Default maximum bytes of a value, a row and a batch of an answer. */
export const CELL_BYTES = 2 ** 26;

export interface AnswerLimit {
  /** Maximum bytes of a value, a row, and a batch of several rows. */
  readonly bytes: number;
  /** Advice for a value or a row that exceeds the limit, as the end of a message. */
  readonly advice: string;
}

/** Bytes of the values of a column: the same for all rows, or an array with one size per row. */
export type ValueSizes = number | Float64Array;

/**
 * Splits the rows of a batch into ranges of at most `limit` bytes.
 * @param sizes the value sizes of each column, in the order of `names`.
 * @returns pairs of a range's first row and the row after its last.
 * @throws {InvalidInputError} if a single value or row exceeds the limit.
 */
export function computeBoundedRanges(
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

/** Splits the rows of a batch into ranges, as `computeBoundedRanges` does. */
export function computeBatchRanges(batch: RecordBatch, limit: AnswerLimit): readonly (readonly [number, number])[] {
  const names = batch.schema.fields.map(({ name }) => name);
  return computeBoundedRanges(batch.numRows, names, batch.data.children.map(sizesOf), limit);
}

/** Returns the bytes of the values of a column. */
function sizesOf(data: Data): ValueSizes {
  const { type, length } = data;
  if (DataType.isUtf8(type) || DataType.isBinary(type) || DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) {
    const { valueOffsets } = data;
    return Float64Array.from({ length }, (_, i) => Number(valueOffsets[i + 1]) - Number(valueOffsets[i]));
  }
  if (DataType.isList(type) || DataType.isMap(type)) {
    const { valueOffsets } = data;
    return computeListSizes(sizesOf(data.children[0]), length, (i) => [valueOffsets[i], valueOffsets[i + 1]]);
  }
  if (DataType.isFixedSizeList(type)) {
    const { listSize } = type;
    return computeListSizes(sizesOf(data.children[0]), length, (i) => [i * listSize, (i + 1) * listSize]);
  }
  if (DataType.isStruct(type) || DataType.isUnion(type)) return sumValueSizes(data.children.map(sizesOf), length);
  return length === 0 ? 0 : data.byteLength / length;
}

/** Returns the sizes of values that consist of several parts. */
export function sumValueSizes(parts: readonly ValueSizes[], length: number): ValueSizes {
  const fixed = parts.reduce<number>((sum, part) => sum + (typeof part === "number" ? part : 0), 0);
  const varying = parts.filter((part) => typeof part !== "number");
  if (varying.length === 0) return fixed;
  return Float64Array.from({ length }, (_, i) => varying.reduce((sum, part) => sum + part[i], fixed));
}

/** Returns the sizes of lists. `rangeAt` returns each list's range of elements. */
export function computeListSizes(
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
