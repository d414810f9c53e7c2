/** Reads a dataset's chunks. They are fetched in address order, and decoded one after another. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import type { ChunkIndex, StoredChunk } from "./chunk-index.js";
import { decodeChunk, type Filter } from "./filters.js";

/** Maximum number of concurrent reads, provided that their total length is short. */
const AT_ONCE = 8;

/**
 * Receives the decoded bytes of the chunk at `offset`, which are valid until the call returns.
 * @param slot the memory that `slotOf` returned; `bytes` is the object `slot` itself if the chunk was decoded into it.
 */
export type VisitChunk = (offset: readonly number[], bytes: Uint8Array, slot: Uint8Array | null) => void;

/**
 * Decodes these chunks.
 * @param slotOf returns memory of the chunk's size to decode the chunk into; null if there is no such memory.
 * @throws {InvalidDataError} if a checksum or the length of a chunk is wrong.
 */
export async function decodeChunks(
  data: Omit<ChunkedData, "index" | "fill">,
  chunks: readonly StoredChunk[],
  slotOf: (offset: readonly number[]) => Uint8Array | null,
  visit: VisitChunk,
  options?: ReadOptions,
): Promise<void> {
  const { file, shape, chunk, elementSize } = data;
  const chunkBytes = countElements(chunk) * elementSize;
  const groups = mergeNeighbours(chunks);
  const coming: { readonly bytes: Promise<Uint8Array>; readonly length: number }[] = [];
  let length = 0;
  let next = 0;
  for (const group of groups) {
    options?.signal?.throwIfAborted();
    // The next bytes are fetched while the current ones are decoded.
    while (next < groups.length && (coming.length < 2 || (coming.length < AT_ONCE && length < MERGE_BYTES))) {
      const bytes = fetchGroup(file, groups[next], options);
      bytes.catch(() => undefined);
      const last = groups[next][groups[next].length - 1];
      coming.push({ bytes, length: last.address + last.storedBytes - groups[next][0].address });
      length += coming[coming.length - 1].length;
      next++;
    }
    const first = coming.shift();
    if (first === undefined) return;
    length -= first.length;
    const bytes = await first.bytes;
    for (const found of group) {
      const at = found.address - group[0].address;
      const stored = bytes.subarray(at, at + found.storedBytes);
      const filters = data.plainEdges && isEdge(found.offset, chunk, shape) ? [] : data.filters;
      const slot = slotOf(found.offset);
      const mask = found.filterMask;
      visit(found.offset, await decodeChunk(stored, filters, mask, chunkBytes, elementSize, slot ?? undefined), slot);
    }
    if (file.copies) giveBuffer(bytes);
  }
}

export interface ChunkedData {
  readonly file: Hdf5File;
  /** Null if no chunk was ever written. */
  readonly index: ChunkIndex | null;
  readonly shape: readonly number[];
  readonly chunk: readonly number[];
  readonly elementSize: number;
  readonly filters: readonly Filter[];
  /** True if chunks that extend beyond the dataset are stored without filters. */
  readonly plainEdges: boolean;
  /** The bytes of one element, used for chunks that were never written. */
  readonly fill: Uint8Array;
}

/** Maximum gap in bytes between chunks that are fetched together, and maximum size of such a fetch. */
const MERGE_GAP = 1 << 16;
export const MERGE_BYTES = 2 << 20;

/**
 * @returns the sum of the stored sizes.
 * @throws {InvalidDataError} if a chunk is empty or does not lie inside the file.
 */
export function sumCheckedSizes(chunks: readonly StoredChunk[], size: number): number {
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

export async function fetchGroup(
  file: Hdf5File,
  group: readonly StoredChunk[],
  options?: ReadOptions,
): Promise<Uint8Array> {
  const first = group[0].address;
  const last = group[group.length - 1];
  const length = last.address + last.storedBytes - first;
  if (!file.copies) return await file.read(first, length, options);
  const bytes = takeBuffer(length);
  await file.readInto(first, bytes, options);
  return bytes;
}

export function isEdge(offset: readonly number[], chunk: readonly number[], shape: readonly number[]): boolean {
  return offset.some((at, d) => at + chunk[d] > shape[d]);
}

/**
 * Groups chunks that are fetched together. They are ordered by address, which may differ from the order in the index.
 */
export function mergeNeighbours(chunks: readonly StoredChunk[]): StoredChunk[][] {
  const groups: StoredChunk[][] = [];
  let group: StoredChunk[] = [];
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

function byAddress(chunks: readonly StoredChunk[]): readonly StoredChunk[] {
  const ascending = chunks.every((chunk, i) => i === 0 || chunks[i - 1].address <= chunk.address);
  return ascending ? chunks : [...chunks].sort((a, b) => a.address - b.address);
}

const MAX_BUFFERS = 4;
const MAX_BYTES = 1 << 22;
const STEP = 1 << 16;

const free: Uint8Array[] = [];

/** Acquires a buffer of exactly `length` bytes with arbitrary contents. */
function takeBuffer(length: number): Uint8Array {
  const at = free.findIndex((buffer) => buffer.length >= length);
  const buffer = at < 0 ? new Uint8Array(Math.ceil(length / STEP) * STEP) : free.splice(at, 1)[0];
  return buffer.subarray(0, length);
}

/** Releases a buffer acquired with `takeBuffer`. The buffer must not be read afterwards. */
export function giveBuffer({ buffer }: Uint8Array): void {
  if (free.length < MAX_BUFFERS && buffer.byteLength <= MAX_BYTES) free.push(new Uint8Array(buffer));
}
