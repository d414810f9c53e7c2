/** Parts of a table that are read one by one, so that parts without chosen rows need not be read. */

import type { ColumnBatch } from "../arrow/column.js";
import { ReturnedMemory } from "../jobs/memory/buffer-pool.js";
import type { ColumnBatchOptions, ColumnTable, TableBlock } from "./column-table.js";

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

/** The blocks of a table; the table itself is the only one where it has none. */
export function blocksOf(table: ColumnTable): readonly TableBlock[] {
  const { blocks, batches, rows } = table;
  return blocks !== undefined && blocks.batches === batches ? blocks.all : [{ rows, batches }];
}

/** Batches whose first one has the table's dictionaries, with as few rows as can be read. */
export function fewestRows(table: ColumnTable, options?: ColumnBatchOptions): AsyncIterable<ColumnBatch> {
  const { blocks, batches } = table;
  const none = blocks !== undefined && blocks.batches === batches ? blocks.none : undefined;
  return (none ?? batches)(options);
}
