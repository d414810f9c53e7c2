/** Chunks of a dataset, fetched in the order of their addresses and decoded one after another. */

import { product } from "../../../model/stored.js";
import type { ReadOptions } from "../../../sources/source.js";
import { giveBuffer } from "../bytes/read-buffers.js";
import { decodeChunk } from "../filters/chunk-filters.js";
import { type ChunkedData, fetchGroup, isEdge, MERGE_BYTES, mergeNeighbours } from "./chunk-groups.js";
import type { StoredChunk } from "./chunk-index.js";

/** Reads under way at the same time, as long as they are short. */
const AT_ONCE = 8;

/**
 * What is done with the bytes of the chunk at `offset`, as they are stored without filters; they last until it returns.
 * @param slot what `slotOf` gave; the bytes are this where they were decoded to it.
 */
export type VisitChunk = (offset: readonly number[], bytes: Uint8Array, slot: Uint8Array | null) => void;

/**
 * Decodes these chunks.
 * @param slotOf memory where a chunk may be decoded to, of its size; null where there is none.
 * @throws {InvalidDataError} where a checksum or the length of a chunk is wrong.
 */
export async function decodeChunks(
  data: Omit<ChunkedData, "index" | "fill">,
  chunks: readonly StoredChunk[],
  slotOf: (offset: readonly number[]) => Uint8Array | null,
  visit: VisitChunk,
  options?: ReadOptions,
): Promise<void> {
  const { file, shape, chunk, elementSize } = data;
  const chunkBytes = product(chunk) * elementSize;
  const groups = mergeNeighbours(chunks);
  const coming: { readonly bytes: Promise<Uint8Array>; readonly length: number }[] = [];
  let length = 0;
  let next = 0;
  for (const group of groups) {
    options?.signal?.throwIfAborted();
    // The next bytes are on their way while these are decoded.
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
