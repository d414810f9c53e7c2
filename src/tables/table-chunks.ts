/** Table parts that can be read separately. Parts without selected rows are skipped. */

import type { ColumnBatch } from "../arrow/column.js";
import { ReleasedMemory } from "../jobs/memory/buffer-pool.js";
import type { ColumnBatchOptions, ColumnTable, TableChunk, TableChunks } from "./column-table.js";

/** Returns `batches` and `blocks` for a table that consists of the blocks `all`. */
export function joinTableChunks(all: readonly TableChunk[]): Pick<ColumnTable, "batches" | "blocks"> {
  async function* batches(options?: ColumnBatchOptions): AsyncGenerator<ColumnBatch> {
    const shared = { ...options, returned: options?.returned ?? new ReleasedMemory() };
    for (const block of all) {
      options?.signal?.throwIfAborted();
      yield* block.batches(shared);
    }
  }
  return { batches, blocks: { all, batches } };
}

/** Returns a table's blocks if its rows are exactly those of the blocks; otherwise null. */
function ownBlocks({ blocks, batches }: ColumnTable): TableChunks | null {
  return blocks !== undefined && blocks.batches === batches ? blocks : null;
}

/** Returns a table's blocks. A table without blocks is its own single block. */
export function listTableChunks(table: ColumnTable): readonly TableChunk[] {
  const { batches, rows } = table;
  return ownBlocks(table)?.all ?? [{ rows, batches }];
}

/** Yields batches with as few rows as possible. The first batch has the table's dictionaries. */
export function readFewestRows(table: ColumnTable, options?: ColumnBatchOptions): AsyncIterable<ColumnBatch> {
  return (ownBlocks(table)?.none ?? table.batches)(options);
}
