/** The stored bytes of an array's chunks. */

import { expect } from "vitest";
import type { StoredArray } from "../src/containers/tree/container.js";

/** The bytes of all chunks, by their places in the grid. */
export async function chunksOf({ capabilities }: StoredArray): Promise<Map<number, Buffer>> {
  const found = await capabilities?.storedChunks?.find();
  const chunks = new Map<number, Buffer>();
  if (found === undefined) throw new TypeError("the array has chunks");
  for await (const piece of found.pieces(false)) {
    if (piece.kind === "file") throw new TypeError("bytes were asked for");
    for (const { place, start, length } of piece.chunks) {
      chunks.set(place, Buffer.from(piece.bytes.slice(start, start + length)));
    }
    piece.release();
  }
  expect(chunks.size).toBe(found.count);
  return chunks;
}
