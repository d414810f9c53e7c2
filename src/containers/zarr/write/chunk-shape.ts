import { product } from "../../../model/stored.js";

/** zarr-python's sizes: the step of the guess, and what a chunk is at least and at most. */
const INCREMENT = 256 * 1024;
const MIN_BYTES = 128 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;
/** What chunks inside of shards have at most. */
const MAX_INNER_BYTES = 1024 * 1024;

/** Every open array fills a chunk in memory: what they have together, as far as chunks do not become tiny. */
const ALL_CHUNKS_BYTES = 128 * 1024 * 1024;

/** Chunks side by side are filled at the same time: what they have together at most. */
const MAX_BAND_BYTES = 32 * 1024 * 1024;
/** Bytes of a chunk whose array has a length that is not yet known. */
const OPEN_BYTES = 1024 * 1024;
const MAX_TEXTS = 65_536;
const FULL_TEXT_BYTES = 4 * 1024 * 1024;

/**
 * The chunks of an array of fixed items: as zarr-python guesses them, but so few rows that a band of chunks across all
 * columns can be held in memory.
 * @param rows null where it is not yet known.
 * @param rest the other dimensions.
 * @param open Arrays that are open at the same time.
 */
export function chunkShape(
  rows: number | null,
  rest: readonly number[],
  itemSize: number,
  sharded: boolean,
  open: number,
): number[] {
  const inner = rest.map(atLeastOne);
  const rowBytes = itemSize * product(inner);
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
    while (shape[axis] < size && itemSize * product(shape) < MIN_BYTES) shape[axis] = Math.min(size, 2 * shape[axis]);
  }
  return shape;
}

/** Bytes at which a chunk of texts is full, with so many arrays open. */
export function fullTextBytes(open: number): number {
  return Math.min(FULL_TEXT_BYTES, openChunkBytes(open));
}

/** What a chunk may take with so many arrays open. */
function openChunkBytes(open: number): number {
  return Math.max(MIN_BYTES, Math.floor(ALL_CHUNKS_BYTES / open));
}

/** Rows in a chunk of items of variable size, of which a chunk has whole rows. */
export function textChunkRows(rows: number | null, rest: readonly number[]): number {
  const most = Math.max(1, Math.floor(MAX_TEXTS / Math.max(1, product(rest))));
  return rows === null ? most : Math.min(most, guess([rows, ...rest], 1, MAX_INNER_BYTES)[0]);
}

/** Halves the dimensions of `shape` in turn, until a chunk is about as large as befits the whole. */
function guess(shape: readonly number[], itemSize: number, maxBytes: number): number[] {
  const chunks = shape.map(atLeastOne);
  const whole = product(chunks) * itemSize;
  const target = Math.min(maxBytes, Math.max(MIN_BYTES, INCREMENT * 2 ** Math.log10(whole / 2 ** 20)));
  for (let axis = 0; ; axis = (axis + 1) % chunks.length) {
    const bytes = product(chunks) * itemSize;
    const isNear = bytes < target || Math.abs(bytes - target) / target < 0.5;
    if ((isNear && bytes < maxBytes) || product(chunks) === 1) return chunks;
    chunks[axis] = Math.ceil(chunks[axis] / 2);
  }
}

function atLeastOne(size: number): number {
  return Math.max(1, size);
}
