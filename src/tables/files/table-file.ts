/** A file of one table, as its format gives it: blocks of rows that are read one by one. */

import type { RecordBatch, Schema } from "apache-arrow";
import type { ReadOptions } from "../../sources/source.js";

export interface BlockRows {
  /** Position in `blocks`. */
  readonly block: number;
  /** Rows of the block, [start, end). */
  readonly start: number;
  readonly end: number;
}

export interface TableFile {
  /** What errors call it. */
  readonly name: string;
  /** `parquet` or `arrow`. */
  readonly kind: "parquet" | "arrow";
  readonly schema: Schema;
  /** Rows of each block: of a record batch, or a row group. */
  readonly blocks: readonly number[];
  /** The rows of a part of a block. All batches share the dictionaries. */
  read(range: BlockRows, columns: readonly number[], options: ReadOptions): AsyncIterable<RecordBatch>;
  /** A batch without rows, with the dictionaries. */
  empty(columns: readonly number[], options: ReadOptions): Promise<RecordBatch>;
}

/** Rows of all blocks. */
export function rowsOf(file: TableFile): number {
  return file.blocks.reduce((sum, rows) => sum + rows, 0);
}
