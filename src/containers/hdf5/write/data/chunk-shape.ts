/** Which chunks an array is cut into. */

import { InvalidInputError, UnsupportedError } from "../../../../model/errors.js";
import { product } from "../../../../model/stored.js";

/** Bytes of a chunk before it is encoded: of small arrays, of large ones, and of those whose length is not known. */
const SMALL_BYTES = 2 ** 18;
const LARGE_BYTES = 2 ** 19;

/** From here on an array is large. */
const LARGE_ARRAY_BYTES = 2 ** 26;

/** libhdf5 keeps a chunk of up to 1 MiB in memory between two reads: a row may make one as large. */
const MOST_ROW_BYTES = 2 ** 20;

/** With more chunks than this the index becomes slow to read. */
const MANY_CHUNKS = 50_000;

/** All arrays together fill chunks of about as much. */
const OPEN_BYTES = 2 ** 26;
const LEAST_BYTES = 2 ** 16;

const MOST_CHUNK_BYTES = 2 ** 32 - 1;

/**
 * @param shape with at least one dimension, the first null where it is not known yet.
 * @param openArrays how many arrays are being written at once.
 */
export function chunkShape(
  shape: readonly [rows: number | null, ...rest: number[]],
  elementBytes: number,
  openArrays: number,
): number[] {
  const [rows, ...rest] = shape;
  const inner = rest.map((size) => Math.max(1, size));
  const rowBytes = elementBytes * product(inner);
  if (rowBytes > MOST_ROW_BYTES) return [1, ...partOfRow(inner, elementBytes)];
  if (rows === null) return [Math.max(1, Math.floor(limited(SMALL_BYTES, openArrays) / rowBytes)), ...inner];
  const total = rows * rowBytes;
  // What fits in one large chunk is not cut; what is cut has chunks of about one size.
  if (total <= limited(LARGE_BYTES, openArrays)) return [Math.max(1, rows), ...inner];
  const usual = limited(total >= LARGE_ARRAY_BYTES ? LARGE_BYTES : SMALL_BYTES, openArrays);
  const wanted = Math.max(usual, Math.min(total / MANY_CHUNKS, MOST_CHUNK_BYTES));
  const most = Math.max(1, Math.floor(wanted / rowBytes));
  const bands = Math.ceil(rows / most);
  return [Math.ceil(rows / bands), ...inner];
}

/**
 * What the caller asks for, no larger than the array.
 * @throws {InvalidInputError} where it is no shape for this array.
 * @throws {UnsupportedError} for chunks that HDF5 has no room for.
 */
export function givenChunkShape(
  chunks: readonly number[],
  shape: readonly (number | null)[],
  elementBytes: number,
  extendable: readonly number[],
): number[] {
  if (chunks.length !== shape.length || chunks.some((size) => !Number.isInteger(size) || size < 1)) {
    throw new InvalidInputError(`chunks of shape [${chunks}] for an array of ${shape.length} dimensions`);
  }
  const fitting = chunks.map((size, d) => {
    const whole = extendable.includes(d) ? null : shape[d];
    return whole === null ? size : Math.max(1, Math.min(size, whole));
  });
  const bytes = product(fitting) * elementBytes;
  if (bytes > MOST_CHUNK_BYTES) {
    throw new UnsupportedError(`chunks of ${bytes} bytes; HDF5 has at most ${MOST_CHUNK_BYTES}`);
  }
  return fitting;
}

function limited(bytes: number, openArrays: number): number {
  return Math.max(LEAST_BYTES, Math.min(bytes, OPEN_BYTES / Math.max(1, openArrays)));
}

/** Whole inner dimensions as far as they fit, a part of the next, one of those outside of it. */
function partOfRow(inner: readonly number[], elementBytes: number): number[] {
  const chunk: number[] = inner.map(() => 1);
  let bytes = elementBytes;
  for (let d = inner.length - 1; d >= 0; d--) {
    chunk[d] = Math.max(1, Math.min(inner[d], Math.floor(LARGE_BYTES / bytes)));
    bytes *= chunk[d];
    if (chunk[d] < inner[d]) break;
  }
  return chunk;
}
