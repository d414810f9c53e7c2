/** What a job ends in, which is what its consumer wants: nothing decoded crosses threads without need. */

import type { EncodedBatch } from "../../ipc/write/message.js";
import type { Codec } from "../../parquet/write/compression.js";
import type { EncodedRowGroup } from "../../parquet/write/row-group.js";
import type { Batch } from "./batch.js";

export type Product =
  /**
   * Columns, for Arrow batches of at most so many bytes, as far as the schema tells. With `reuse` a batch lasts until
   * the next one is asked for: its memory is that of a later one.
   */
  | { readonly kind: "batches"; readonly batchBytes: number; readonly reuse?: boolean }
  /** Sums of the values along an axis of a sparse matrix: for each position of the one selected field. */
  | { readonly kind: "sums" }
  /** Encoded row groups of a Parquet file. */
  | { readonly kind: "row-groups"; readonly compression: Codec }
  /**
   * Messages of Arrow's IPC format, one for each batch of at most so many bytes. With `reuse` they may lie in more memory
   * than they need, which is that of earlier ones.
   */
  | { readonly kind: "ipc"; readonly batchBytes: number; readonly reuse?: boolean };

/** What one job gives: usually one batch or row group, more where a single one would be too large. */
export type JobResult =
  | { readonly kind: "batches"; readonly batches: readonly Batch[] }
  | ({ readonly kind: "sums" } & PartialSums)
  | { readonly kind: "row-groups"; readonly groups: readonly EncodedRowGroup[] }
  | { readonly kind: "ipc"; readonly messages: readonly EncodedBatch[] };

/** What the entries of a job add to the sums of the positions first, first + 1, …; the others they leave as they are. */
export interface PartialSums {
  readonly first: number;
  readonly sums: Float64Array<ArrayBuffer>;
}
