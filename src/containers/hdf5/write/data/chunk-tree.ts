/** The index of an array's chunks. Source: HDF5 File Format Specification, III.A.1, type 1. */

import type { FileSpace } from "../space/file-space.js";
import { writeTree } from "../space/version-1-tree.js";
import type { ChunkList } from "./chunk-list.js";

export interface ChunkGrid {
  readonly chunk: readonly number[];
  /** How many chunks there are side by side in each dimension but the first. */
  readonly columns: readonly number[];
  readonly elementBytes: number;
}

/**
 * @param chunks of the grid, in row-major order.
 * @returns the root's address; null without chunks.
 */
export async function writeChunkTree(
  space: FileSpace,
  k: number,
  chunks: ChunkList,
  { chunk, columns, elementBytes }: ChunkGrid,
): Promise<number | null> {
  const { count } = chunks;
  if (count === 0) return null;
  const rank = chunk.length;
  return await writeTree(space, {
    type: 1,
    k,
    keyBytes: 8 + 8 * (rank + 1),
    count,
    key: (i, view, at) => {
      // The last key is a bound beyond the last chunk in every dimension. Where it is not, readers miss chunks.
      const isBound = i === count;
      let rest = chunks.place(isBound ? i - 1 : i);
      if (!isBound) view.setUint32(at, chunks.size(i), true);
      for (let d = rank - 1; d >= 0; d--) {
        const place = d === 0 ? rest : rest % columns[d - 1];
        rest = d === 0 ? 0 : Math.floor(rest / columns[d - 1]);
        const bound = d === 0 ? place + 1 : columns[d - 1];
        setU64(view, at + 8 + 8 * d, (isBound ? bound : place) * chunk[d]);
      }
      if (isBound) setU64(view, at + 8 + 8 * rank, elementBytes);
    },
    child: (i) => chunks.address(i),
  });
}

function setU64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 2 ** 32, true);
  view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}
