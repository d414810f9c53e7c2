/** Reads rows of a chunked dataset by assembling them from its chunks. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import type { StoredChunk } from "./chunk-index.js";
import { type ChunkedData, decodeChunks, sumCheckedSizes, type VisitChunk } from "./read-chunks.js";

/** Maximum number of chunks listed at a time, because a malicious file can have a million one-byte chunks. */
export const LISTED = 1 << 16;

/**
 * Reads the rows [start, end) in C order as stored bytes, with `elementSize` bytes per element.
 * @param target memory of exactly the rows' size; every byte of it is written.
 * @throws {InvalidDataError} if the index, a checksum or the length of a chunk is wrong.
 */
export async function readChunkedRows(
  data: ChunkedData,
  start: number,
  end: number,
  target: Uint8Array,
  options?: ReadOptions,
): Promise<void> {
  const { index, shape, chunk, fill, file } = data;
  if (target.length === 0) return;
  if (index === null) return fillUnwritten(target, fill, options);
  const rowBytes = countElements(shape.slice(1)) * data.elementSize;
  const perBand = countElements(shape.slice(1).map((size, d) => Math.ceil(size / chunk[d + 1])));
  const bandRows = Math.max(1, Math.floor(LISTED / perBand)) * chunk[0];
  let stored = 0;
  for (let low = start; low < end; ) {
    const high = Math.min(end, low - (low % bandRows) + bandRows);
    const chunks = await index.find({ rows: [low, high], shape }, options);
    stored += sumCheckedSizes(chunks, file.size);
    if (stored > file.size) {
      throw new InvalidDataError(`chunks of ${stored} bytes in all, in a file of ${file.size} bytes`);
    }
    const bands = Math.ceil(high / chunk[0]) - Math.floor(low / chunk[0]);
    const part = target.subarray((low - start) * rowBytes, (high - start) * rowBytes);
    const missing = 1 - chunks.length / (bands * perBand);
    if (missing > 0) fillUnwritten(part, fill, options, missing);
    await placeChunks(data, chunks, { start: low, end: high, bytes: part }, options);
    low = high;
  }
}

/** The rows [start, end) of an array in memory, in C order. */
interface RowMemory {
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

type Chunking = Pick<ChunkedData, "shape" | "chunk" | "elementSize">;

async function placeChunks(
  data: ChunkedData,
  chunks: readonly StoredChunk[],
  rows: RowMemory,
  options?: ReadOptions,
): Promise<void> {
  if (isUnfiltered(data)) return await readRuns(data.file, plainRuns(data, chunks, rows), rows.bytes, options);
  const place = createChunkPlacer(data, rows);
  const slotOf = createChunkSlots(data, rows);
  // Bytes that were decoded directly into their slot do not need to be copied.
  const visit: VisitChunk = (offset, bytes, slot) => (bytes === slot ? undefined : place(offset, bytes));
  await decodeChunks(data, chunks, slotOf, visit, options);
}

/** True if a chunk's consecutive rows are also consecutive in the file, so that chunks can be read partially. */
export function isUnfiltered({ filters, shape }: Pick<ChunkedData, "filters" | "shape">): boolean {
  return filters.length === 0 && shape.length === 1;
}

interface Run {
  readonly address: number;
  /** The position in the target. */
  readonly at: number;
  bytes: number;
}

/**
 * Lists the byte ranges of the rows in each chunk. Ranges that are adjacent in both the array and the file are merged.
 */
function plainRuns(
  { chunk, shape, elementSize }: Chunking,
  chunks: readonly StoredChunk[],
  { start, end }: RowMemory,
): Run[] {
  const runs: Run[] = [];
  for (const { offset, address } of chunks) {
    const low = Math.max(start, offset[0]);
    const high = Math.min(end, offset[0] + chunk[0], shape[0]);
    if (low >= high) continue;
    const from = address + (low - offset[0]) * elementSize;
    const at = (low - start) * elementSize;
    const bytes = (high - low) * elementSize;
    const last = runs.at(-1);
    if (last !== undefined && last.address + last.bytes === from && last.at + last.bytes === at) last.bytes += bytes;
    else runs.push({ address: from, at, bytes });
  }
  return runs;
}

async function readRuns(
  file: Hdf5File,
  runs: readonly Run[],
  target: Uint8Array,
  options?: ReadOptions,
): Promise<void> {
  for (const { address, at, bytes } of runs) await file.readInto(address, target.subarray(at, at + bytes), options);
}

/**
 * Fills `target` with the fill value.
 * @param share the share of `target` that unwritten chunks cover, for `onUnwritten`; the caller overwrites the rest
 * afterwards.
 */
export function fillUnwritten(target: Uint8Array, fill: Uint8Array, options?: ReadOptions, share = 1): void {
  options?.onUnwritten?.(share * target.length);
  fillWith(target, fill);
}

/** Fills `target` with a whole number of repetitions of `fill`, or with zeros if `fill` is empty. */
export function fillWith(target: Uint8Array, fill: Uint8Array): void {
  if (target.length === 0) return;
  if (fill.every((byte) => byte === fill[0])) {
    target.fill(fill[0] ?? 0);
    return;
  }
  target.set(fill);
  for (let done = fill.length; done < target.length; done *= 2) {
    target.copyWithin(done, 0, Math.min(done, target.length - done));
  }
}

/** Below this number of bytes, a loop is faster than copying through a view. */
const SHORT_RUN = 64;

/** Copies the part of a chunk that belongs to the rows. The chunk lies at `offset`, and `bytes` are its bytes. */
export type CopyChunkRows = (offset: readonly number[], bytes: Uint8Array) => void;

export function createChunkPlacer(
  { shape, chunk, elementSize }: Chunking,
  { start, end, bytes: target }: RowMemory,
): CopyChunkRows {
  const rank = shape.length;
  const from = strides(chunk, elementSize);
  const to = strides(shape, elementSize);
  // From dimension `whole` on, every chunk spans the whole extent, so the part at each position in the preceding
  // dimensions is copied in one piece.
  let whole = rank;
  while (whole > 1 && chunk[whole - 1] === shape[whole - 1]) whole--;
  const inner = whole - 1;
  const low = shape.map(() => 0);
  const high = shape.map(() => 0);
  const at = shape.map(() => 0);

  return (offset, bytes) => {
    let source = 0;
    let place = 0;
    for (let d = 0; d < rank; d++) {
      low[d] = d === 0 ? Math.max(offset[0], start) : offset[d];
      high[d] = Math.min(offset[d] + chunk[d], d === 0 ? end : shape[d]);
      at[d] = low[d];
      source += (low[d] - offset[d]) * from[d];
      place += (low[d] - (d === 0 ? start : 0)) * to[d];
    }
    const run = (high[inner] - low[inner]) * to[inner];
    for (;;) {
      copy(bytes, source, target, place, run);
      let d = inner - 1;
      while (d >= 0) {
        source += from[d];
        place += to[d];
        if (++at[d] < high[d]) break;
        source -= (high[d] - low[d]) * from[d];
        place -= (high[d] - low[d]) * to[d];
        at[d] = low[d];
        d--;
      }
      if (d < 0) return;
    }
  };
}

/** Returns memory for the whole chunk at `offset`; null if the chunk is not contiguous within the rows. */
export type ChunkSlot = (offset: readonly number[]) => Uint8Array | null;

export function createChunkSlots(
  { shape, chunk, elementSize }: Chunking,
  { start, end, bytes: target }: RowMemory,
): ChunkSlot {
  if (chunk.some((size, d) => d > 0 && size !== shape[d])) return () => null;
  const rowBytes = strides(shape, elementSize)[0];
  return ([row]) => {
    if (row < start || row + chunk[0] > end) return null;
    return target.subarray((row - start) * rowBytes, (row + chunk[0] - start) * rowBytes);
  };
}

/** Returns the distance in bytes between adjacent elements along each dimension. */
function strides(shape: readonly number[], elementSize: number): number[] {
  const bytes = shape.map(() => elementSize);
  for (let d = shape.length - 2; d >= 0; d--) bytes[d] = bytes[d + 1] * shape[d + 1];
  return bytes;
}

function copy(bytes: Uint8Array, from: number, target: Uint8Array, to: number, length: number): void {
  if (length >= SHORT_RUN) target.set(bytes.subarray(from, from + length), to);
  else for (let i = 0; i < length; i++) target[to + i] = bytes[from + i];
}
