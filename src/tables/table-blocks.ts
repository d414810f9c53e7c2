/** Parts of a table that are read one by one, so that parts without chosen rows need not be read. */

import type { ColumnBatch } from "../arrow/column.js";
import { ReturnedMemory } from "../jobs/memory/buffer-pool.js";
import type { ColumnBatchOptions, ColumnTable, TableBlock, TableBlocks } from "./column-table.js";

/** The members of a table that consists of `all`. */
export function inBlocks(all: readonly TableBlock[]): Pick<ColumnTable, "batches" | "blocks"> {
  async function* batches(options?: ColumnBatchOptions): AsyncGenerator<ColumnBatch> {
    const shared = { ...options, returned: options?.returned ?? new ReturnedMemory() };
    for (const block of all) {
      options?.signal?.throwIfAborted();
      yield* block.batches(shared);
    }
  }
  return { batches, blocks: { all, batches } };
}

/** The blocks of a table whose rows are theirs; null for other tables. */
function ownBlocks({ blocks, batches }: ColumnTable): TableBlocks | null {
  return blocks !== undefined && blocks.batches === batches ? blocks : null;
}

/** The blocks of a table; the table itself is the only one where it has none. */
export function blocksOf(table: ColumnTable): readonly TableBlock[] {
  const { batches, rows } = table;
  return ownBlocks(table)?.all ?? [{ rows, batches }];
}

/** Batches whose first one has the table's dictionaries, with as few rows as can be read. */
export function fewestRows(table: ColumnTable, options?: ColumnBatchOptions): AsyncIterable<ColumnBatch> {
  return (ownBlocks(table)?.none ?? table.batches)(options);
}
