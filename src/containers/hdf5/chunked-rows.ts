/** Rows of a chunked dataset, put together from its chunks. */

import { InvalidDataError } from "../../errors.js";
import type { ReadOptions } from "../../sources/source.js";
import { product } from "../../stored.js";
import { decodeChunk } from "./chunk-filters.js";
import type { Chunk, ChunkTree } from "./chunk-tree.js";
import type { FileBytes } from "./file-bytes.js";
import type { Filter } from "./filter-pipeline.js";

export interface ChunkedData {
  readonly file: FileBytes;
  /** Null where no chunk was ever written. */
  readonly tree: ChunkTree | null;
  readonly shape: readonly number[];
  readonly chunk: readonly number[];
  readonly elementSize: number;
  readonly filters: readonly Filter[];
}

/** Chunks that lie this close together are fetched as one, up to so many bytes. */
const MERGE_GAP = 1 << 16;
const MERGE_BYTES = 8 << 20;

/**
 * Rows [start, end) in C order, as stored bytes of `elementSize` each.
 * @param fill the bytes of one element where no chunk was written.
 * @throws {InvalidDataError} where the index, a checksum or the length of a chunk is wrong.
 */
export async function readChunkedRows(
  data: ChunkedData,
  start: number,
  end: number,
  fill: Uint8Array,
  options?: ReadOptions,
): Promise<Uint8Array> {
  const rowBytes = product(data.shape.slice(1)) * data.elementSize;
  const rows = new Uint8Array((end - start) * rowBytes);
  if (rows.length === 0) return rows;
  if (fill.some((byte) => byte !== 0)) fillWith(rows, fill);
  await forEachChunk(data, start, end, (chunk, bytes) => place(data, chunk.offset, bytes, rows, start, end), options);
  return rows;
}

async function forEachChunk(
  data: ChunkedData,
  start: number,
  end: number,
  use: (chunk: Chunk, bytes: Uint8Array) => void,
  options?: ReadOptions,
): Promise<void> {
  if (data.tree === null || end <= start) return;
  const chunkBytes = product(data.chunk) * data.elementSize;
  for (const group of mergeNeighbours(await data.tree.find(start, end, data.shape, options))) {
    options?.signal?.throwIfAborted();
    const first = group[0].address;
    const last = group[group.length - 1];
    const bytes = await data.file.read(first, last.address + last.storedBytes - first, options);
    for (const chunk of group) {
      const at = chunk.address - first;
      const stored = bytes.subarray(at, at + chunk.storedBytes);
      use(chunk, await decodeChunk(stored, data.filters, chunk.filterMask, chunkBytes, data.elementSize));
    }
  }
}

function mergeNeighbours(chunks: readonly Chunk[]): Chunk[][] {
  const groups: Chunk[][] = [];
  let group: Chunk[] = [];
  for (const chunk of chunks) {
    if (chunk.storedBytes === 0) throw new InvalidDataError(`chunk at ${chunk.offset.join()} is stored in 0 bytes`);
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

function fillWith(rows: Uint8Array, fill: Uint8Array): void {
  rows.set(fill);
  for (let done = fill.length; done < rows.length; done *= 2) rows.copyWithin(done, 0, rows.length - done);
}

/** Copies what the chunk at `offset` shares with rows [start, end) to its place in `rows`. */
function place(
  { shape, chunk, elementSize }: ChunkedData,
  offset: readonly number[],
  bytes: Uint8Array,
  rows: Uint8Array,
  start: number,
  end: number,
): void {
  const rank = shape.length;
  const low = offset.map((at, d) => (d === 0 ? Math.max(at, start) : at));
  const high = offset.map((at, d) => Math.min(at + chunk[d], d === 0 ? end : shape[d]));
  const last = rank - 1;
  const run = (high[last] - low[last]) * elementSize;
  const at = [...low];
  for (;;) {
    let from = 0;
    let to = 0;
    for (let d = 0; d < rank; d++) {
      from = from * chunk[d] + at[d] - offset[d];
      to = to * shape[d] + at[d] - (d === 0 ? start : 0);
    }
    from *= elementSize;
    rows.set(bytes.subarray(from, from + run), to * elementSize);
    let d = last - 1;
    while (d >= 0 && ++at[d] === high[d]) {
      at[d] = low[d];
      d--;
    }
    if (d < 0) return;
  }
}
