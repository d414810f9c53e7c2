/** Rows of a chunked dataset, put together from its chunks. */

import { InvalidDataError } from "../../errors.js";
import type { ReadOptions } from "../../sources/source.js";
import { product } from "../../stored.js";
import { decodeChunk } from "./chunk-filters.js";
import type { Chunk, ChunkIndex } from "./chunk-index.js";
import { chunkPlacer, chunkSlots } from "./chunk-placer.js";
import type { FileBytes } from "./file-bytes.js";
import type { Filter } from "./filter-pipeline.js";
import { giveBuffer, takeBuffer } from "./read-buffers.js";

export interface ChunkedData {
  readonly file: FileBytes;
  /** Null where no chunk was ever written. */
  readonly index: ChunkIndex | null;
  readonly shape: readonly number[];
  readonly chunk: readonly number[];
  readonly elementSize: number;
  readonly filters: readonly Filter[];
  /** Whether chunks that reach beyond the extent are stored without filters. */
  readonly plainEdges: boolean;
  /** One element, where no chunk was written. */
  readonly fill: Uint8Array;
}

/** Chunks that lie this close together are fetched as one, up to so many bytes. */
const MERGE_GAP = 1 << 16;
const MERGE_BYTES = 2 << 20;

/** Chunks that are listed at once: a hostile file can have a million of one byte each. */
const LISTED = 1 << 16;

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
  if (index === null) {
    fillWith(target, fill);
    return;
  }
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
    if (chunks.length < bands * perBand) fillWith(part, fill);
    await placeChunks(data, chunks, low, high, part, options);
    low = high;
  }
}

/** @returns the sum of the stored sizes. @throws {InvalidDataError} where a chunk is empty or not inside the file. */
function checkedBytes(chunks: readonly Chunk[], size: number): number {
  let sum = 0;
  for (const { address, storedBytes, offset } of chunks) {
    if (storedBytes === 0) throw new InvalidDataError(`chunk at ${offset.join()} is stored in 0 bytes`);
    if (address + storedBytes > size) {
      throw new InvalidDataError(
        `chunk at ${offset.join()} has ${storedBytes} bytes at address ${address}, beyond the end of the file, which has ${size} bytes`,
      );
    }
    sum += storedBytes;
  }
  return sum;
}

async function placeChunks(
  data: ChunkedData,
  chunks: readonly Chunk[],
  start: number,
  end: number,
  target: Uint8Array,
  options?: ReadOptions,
): Promise<void> {
  const { file, shape, chunk, elementSize } = data;
  if (isPlain(data)) return await readRuns(file, plainRuns(data, chunks, start, end), target, options);
  const chunkBytes = product(chunk) * elementSize;
  const place = chunkPlacer(shape, chunk, elementSize, start, end, target);
  const slotOf = chunkSlots(shape, chunk, elementSize, start, end, target);
  const groups = mergeNeighbours(chunks);
  const fetch = (k: number) => fetchGroup(file, groups[k], options);
  let next = groups.length > 0 ? fetch(0) : undefined;
  for (const [k, group] of groups.entries()) {
    options?.signal?.throwIfAborted();
    const bytes = await next;
    if (bytes === undefined) return;
    // The next bytes are on their way while these are decoded.
    next = k + 1 < groups.length ? fetch(k + 1) : undefined;
    next?.catch(() => undefined);
    for (const found of group) {
      const at = found.address - group[0].address;
      const stored = bytes.subarray(at, at + found.storedBytes);
      const filters = data.plainEdges && isEdge(found.offset, chunk, shape) ? [] : data.filters;
      const slot = slotOf(found.offset);
      const mask = found.filterMask;
      const decoded = await decodeChunk(stored, filters, mask, chunkBytes, elementSize, slot ?? undefined);
      if (decoded !== slot) place(found.offset, decoded);
    }
    if (file.copies) giveBuffer(bytes);
  }
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
  chunks: readonly Chunk[],
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
  file: FileBytes,
  runs: readonly Run[],
  target: Uint8Array,
  options?: ReadOptions,
): Promise<void> {
  for (const { address, at, bytes } of runs) await file.readInto(address, target.subarray(at, at + bytes), options);
}

async function fetchGroup(file: FileBytes, group: readonly Chunk[], options?: ReadOptions): Promise<Uint8Array> {
  const first = group[0].address;
  const last = group[group.length - 1];
  const length = last.address + last.storedBytes - first;
  if (!file.copies) return await file.read(first, length, options);
  const bytes = takeBuffer(length);
  await file.readInto(first, bytes, options);
  return bytes;
}

function isEdge(offset: readonly number[], chunk: readonly number[], shape: readonly number[]): boolean {
  return offset.some((at, d) => at + chunk[d] > shape[d]);
}

/** In the order of their addresses, which need not be that of the index. */
function mergeNeighbours(chunks: readonly Chunk[]): Chunk[][] {
  const groups: Chunk[][] = [];
  let group: Chunk[] = [];
  for (const chunk of byAddress(chunks)) {
    const last = group.at(-1);
    const gap = last === undefined ? -1 : chunk.address - (last.address + last.storedBytes);
    const joined = chunk.address + chunk.storedBytes - (group[0]?.address ?? 0);
    if (gap < 0 || gap > MERGE_GAP || joined > MERGE_BYTES) {
      group = [];
      groups.push(group);
    }
    group.push(chunk);
  }
  return groups;
}

function byAddress(chunks: readonly Chunk[]): readonly Chunk[] {
  const ascending = chunks.every((chunk, i) => i === 0 || chunks[i - 1].address <= chunk.address);
  return ascending ? chunks : [...chunks].sort((a, b) => a.address - b.address);
}

/** Repeats `fill`, a whole number of times, over `target`. */
export function fillWith(target: Uint8Array, fill: Uint8Array): void {
  if (target.length === 0) return;
  if (fill.every((byte) => byte === fill[0])) {
    target.fill(fill[0]);
    return;
  }
  target.set(fill);
  for (let done = fill.length; done < target.length; done *= 2) {
    target.copyWithin(done, 0, Math.min(done, target.length - done));
  }
}
