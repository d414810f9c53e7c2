/** Rows of a chunked dataset, put together from its chunks. */

import { InvalidDataError } from "../../../model/errors.js";
import { product } from "../../../model/stored.js";
import type { ReadOptions } from "../../../sources/source.js";
import type { Hdf5File } from "../file/file-bytes.js";
import { type ChunkedData, checkedBytes } from "./chunk-groups.js";
import type { StoredChunk } from "./chunk-index.js";
import { chunkPlacer, chunkSlots } from "./chunk-placer.js";
import { decodeChunks, type VisitChunk } from "./decode-chunks.js";

export { checkedBytes, fetchGroup, isEdge, mergeNeighbours } from "./chunk-groups.js";

/** Chunks that are listed at once: a hostile file can have a million of one byte each. */
export const LISTED = 1 << 16;

/**
 * Rows [start, end) in C order, as stored bytes of `elementSize` each.
 * @param target of exactly that many bytes, whatever they were before.
 * @throws {InvalidDataError} where the index, a checksum or the length of a chunk is wrong.
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
  const rowBytes = product(shape.slice(1)) * data.elementSize;
  const perBand = product(shape.slice(1).map((size, d) => Math.ceil(size / chunk[d + 1])));
  const bandRows = Math.max(1, Math.floor(LISTED / perBand)) * chunk[0];
  let stored = 0;
  for (let low = start; low < end; ) {
    const high = Math.min(end, low - (low % bandRows) + bandRows);
    const chunks = await index.find(low, high, shape, options);
    stored += checkedBytes(chunks, file.size);
    if (stored > file.size) {
      throw new InvalidDataError(`chunks of ${stored} bytes in all, in a file of ${file.size} bytes`);
    }
    const bands = Math.ceil(high / chunk[0]) - Math.floor(low / chunk[0]);
    const part = target.subarray((low - start) * rowBytes, (high - start) * rowBytes);
    const missing = 1 - chunks.length / (bands * perBand);
    if (missing > 0) fillUnwritten(part, fill, options, missing);
    await placeChunks(data, chunks, low, high, part, options);
    low = high;
  }
}

async function placeChunks(
  data: ChunkedData,
  chunks: readonly StoredChunk[],
  start: number,
  end: number,
  target: Uint8Array,
  options?: ReadOptions,
): Promise<void> {
  const { file, shape, chunk, elementSize } = data;
  if (isPlain(data)) return await readRuns(file, plainRuns(data, chunks, start, end), target, options);
  const place = chunkPlacer(shape, chunk, elementSize, start, end, target);
  const slotOf = chunkSlots(shape, chunk, elementSize, start, end, target);
  // What was decoded to its slot is where it belongs.
  const visit: VisitChunk = (offset, bytes, slot) => (bytes === slot ? undefined : place(offset, bytes));
  await decodeChunks(data, chunks, slotOf, visit, options);
}

/** Whether the bytes of any rows stand in the file as they are, one after the other: such chunks need not be read whole. */
export function isPlain({ filters, shape }: Pick<ChunkedData, "filters" | "shape">): boolean {
  return filters.length === 0 && shape.length === 1;
}

interface Run {
  readonly address: number;
  /** Position in the target. */
  readonly at: number;
  bytes: number;
}

/** What rows [start, end) have in each chunk; one run where neighbours in the array are neighbours in the file. */
function plainRuns(
  { chunk, shape, elementSize }: ChunkedData,
  chunks: readonly StoredChunk[],
  start: number,
  end: number,
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
 * Puts the fill value where nothing was ever written.
 * @param share of `target` that nothing was written to; the rest is overwritten afterwards.
 */
export function fillUnwritten(target: Uint8Array, fill: Uint8Array, options?: ReadOptions, share = 1): void {
  options?.onUnwritten?.(share * target.length);
  fillWith(target, fill);
}

/** Repeats `fill`, a whole number of times, over `target`; zeros where it has no bytes. */
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
