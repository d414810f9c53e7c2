import { MAX_CHUNK_BYTES } from "../../../kernels/codecs/bounds/byte-codec.js";
import { InvalidInputError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import type { ArrayDescription } from "../../tree/container-writer.js";

/** Sizes from zarr-python: the increment for guessing chunk sizes, and the minimum and maximum chunk size in bytes. */
const INCREMENT = 256 * 1024;
const MIN_BYTES = 128 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum size of a chunk inside a shard, in bytes. */
const MAX_INNER_BYTES = 1024 * 1024;

/**
 * Maximum total size in bytes of the chunks of all open arrays, unless chunks would become tiny. Every open array fills
 * a chunk in memory.
 */
const ALL_CHUNKS_BYTES = 128 * 1024 * 1024;

/** Maximum total size in bytes of the chunks across all columns, which are filled together. */
const MAX_BAND_BYTES = 32 * 1024 * 1024;
/** Chunk size in bytes for an array of unknown length. */
const OPEN_BYTES = 1024 * 1024;
const MAX_TEXTS = 65_536;
const FULL_TEXT_BYTES = 4 * 1024 * 1024;

/**
 * Chooses the chunk shape for an array whose items have a fixed size. It follows zarr-python's guess, but limits the
 * rows so that a band of chunks across all columns fits into memory.
 * @param rows the number of rows; null if it is not yet known.
 * @param rest the other dimensions.
 * @param open the number of open arrays.
 */
export function computeZarrChunkShape(
  rows: number | null,
  rest: readonly number[],
  itemSize: number,
  sharded: boolean,
  open: number,
): number[] {
  const inner = rest.map(atLeastOne);
  const rowBytes = itemSize * countElements(inner);
  const most = openChunkBytes(open);
  if (rows === null) {
    const bytes = Math.min(OPEN_BYTES, most);
    if (rowBytes <= bytes) return [Math.max(1, Math.floor(bytes / rowBytes)), ...inner];
    return guess([1, ...inner], itemSize, bytes);
  }
  const shape = guess([rows, ...rest], itemSize, Math.min(sharded ? MAX_INNER_BYTES : MAX_BYTES, most));
  if (shape[0] * rowBytes <= MAX_BAND_BYTES) return shape;
  shape[0] = Math.max(1, Math.floor(MAX_BAND_BYTES / rowBytes));
  for (let axis = shape.length - 1; axis > 0; axis--) {
    const size = inner[axis - 1];
    while (shape[axis] < size && itemSize * countElements(shape) < MIN_BYTES)
      shape[axis] = Math.min(size, 2 * shape[axis]);
  }
  return shape;
}

/** Returns the size in bytes at which a chunk of strings is full, given the number of open arrays. */
export function getFullTextBytes(open: number): number {
  return Math.min(FULL_TEXT_BYTES, openChunkBytes(open));
}

/** Returns the maximum chunk size in bytes, given the number of open arrays. */
function openChunkBytes(open: number): number {
  return Math.max(MIN_BYTES, Math.floor(ALL_CHUNKS_BYTES / open));
}

/** Returns the number of rows per chunk for items of variable size. Such chunks always contain whole rows. */
export function computeTextChunkRows(rows: number | null, rest: readonly number[]): number {
  const most = Math.max(1, Math.floor(MAX_TEXTS / Math.max(1, countElements(rest))));
  return rows === null ? most : Math.min(most, guess([rows, ...rest], 1, MAX_INNER_BYTES)[0]);
}

/** Halves the dimensions of `shape` in turn until the chunk size suits the size of the array. */
function guess(shape: readonly number[], itemSize: number, maxBytes: number): number[] {
  const chunks = shape.map(atLeastOne);
  const whole = countElements(chunks) * itemSize;
  const target = Math.min(maxBytes, Math.max(MIN_BYTES, INCREMENT * 2 ** Math.log10(whole / 2 ** 20)));
  for (let axis = 0; ; axis = (axis + 1) % chunks.length) {
    const bytes = countElements(chunks) * itemSize;
    const isNear = bytes < target || Math.abs(bytes - target) / target < 0.5;
    if ((isNear && bytes < maxBytes) || countElements(chunks) === 1) return chunks;
    chunks[axis] = Math.ceil(chunks[axis] / 2);
  }
}

function atLeastOne(size: number): number {
  return Math.max(1, size);
}

/** The shape of an array that is not a scalar, and the part of its chunk shape that is determined in advance. */
export interface ArrayShape {
  /** The number of rows; null if it is not known until the array is closed. */
  readonly rows: number | null;
  readonly rest: readonly number[];
  readonly chunkRows: number;
  readonly chunkRest: readonly number[];
  /** Whether the first chunk may be made smaller. */
  readonly flexible: boolean;
}

/**
 * @param open the number of open arrays.
 * @param itemSize null if items vary in size, in which case chunks contain whole rows.
 * @throws {InvalidInputError} if the chunks do not fit the shape, or are too large to be kept in memory.
 * @throws {TypeError} for an invalid dimension.
 */
export function computeArrayShape(
  [rows, ...rest]: readonly [number | null, ...number[]],
  chunks: ArrayDescription["chunks"],
  itemSize: number | null,
  sharded: boolean,
  open: number,
): ArrayShape {
  for (const size of [rows ?? 0, ...rest]) {
    if (!Number.isSafeInteger(size) || size < 0) throw new TypeError(`a dimension of ${size}`);
  }
  const whole = rest.map((size) => Math.max(1, size));
  if (chunks !== undefined) {
    const given = givenChunks(chunks, [rows, ...rest], itemSize ?? 1);
    return {
      rows,
      rest,
      chunkRows: given[0],
      chunkRest: itemSize === null ? whole : given.slice(1),
      flexible: false,
    };
  }
  if (itemSize === null) {
    return { rows, rest, chunkRows: computeTextChunkRows(rows, rest), chunkRest: whole, flexible: true };
  }
  const [chunkRows, ...chunkRest] = computeZarrChunkShape(rows, rest, itemSize, sharded, open);
  return { rows, rest, chunkRows, chunkRest, flexible: true };
}

/** Returns the requested chunk shape, limited to the array's shape. */
function givenChunks(chunks: readonly number[], shape: readonly (number | null)[], itemSize: number): number[] {
  const problem = () =>
    `chunks [${chunks.join(", ")}] for an array of shape [${shape.map((n) => n ?? "?").join(", ")}]`;
  if (chunks.length !== shape.length || chunks.some((size) => !Number.isSafeInteger(size) || size < 1)) {
    throw new InvalidInputError(problem());
  }
  const clipped = chunks.map((size, axis) => Math.min(size, Math.max(1, shape[axis] ?? size)));
  const bytes = itemSize * countElements(clipped);
  if (bytes > MAX_CHUNK_BYTES)
    throw new InvalidInputError(`${problem()} take ${bytes} bytes, at most ${MAX_CHUNK_BYTES}`);
  return clipped;
}

/** Maximum size in bytes of one shard's chunks before compression, and of all shards in memory together. */
const SHARD_BYTES = 64 * 1024 * 1024;
const ALL_SHARDS_BYTES = 128 * 1024 * 1024;
/** Maximum number of chunks in a shard. Each chunk takes 16 bytes in the shard's index. */
const MAX_SLOTS = 65_536;

/**
 * Returns the number of bands of chunks in a shard, which spans all columns.
 * @param bands the total number of bands; null if it is not known.
 * @param bandBytes the size of one band in bytes before compression.
 * @param grid the number of chunks in one band.
 * @param open the number of open arrays.
 */
export function computeShardChunkRows(bands: number | null, bandBytes: number, grid: number, open: number): number {
  const bytes = Math.min(SHARD_BYTES, ALL_SHARDS_BYTES / open);
  const most = Math.min(Math.floor(bytes / Math.max(1, bandBytes)), Math.floor(MAX_SLOTS / Math.max(1, grid)));
  return Math.max(1, Math.min(most, bands ?? most));
}
