/** Stored chunks that lie close together in the file, which are fetched as one. */

import { InvalidDataError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import { takeBuffer } from "../bytes/read-buffers.js";
import type { Hdf5File } from "../file/file-bytes.js";
import type { Filter } from "../filters/filter-pipeline.js";
import type { ChunkIndex, StoredChunk } from "./chunk-index.js";

export interface ChunkedData {
  readonly file: Hdf5File;
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
export const MERGE_BYTES = 2 << 20;

/** @returns the sum of the stored sizes. @throws {InvalidDataError} where a chunk is empty or not inside the file. */
export function checkedBytes(chunks: readonly StoredChunk[], size: number): number {
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

/** In the order of their addresses, which need not be that of the index. */
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
