/**
 * Tasks and the results of their jobs. A task describes, as serializable data, which result is computed from a table's
 * rows; a job is a range of rows.
 */

import type { Column } from "../../arrow/column.js";
import type { EncodedTableChunk, EncoderOptions } from "../../arrow/encoder.js";
import type { TextFallback } from "../../arrow/text.js";
import type { ArrowField } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { EntriesByRange, EntryRanges } from "../../kernels/sparse/entry-ranges.js";
import { UnsupportedError } from "../../model/errors.js";
import type { EncoderName } from "../encoders.js";
import type { RowsPlan } from "../plan/plan.js";

export interface Task<A = StoredArray> {
  readonly rows: RowsPlan<A>;
  /** Fields of the whole table. `selected` contains the indices of the selected fields, in output order. */
  readonly fields: readonly ArrowField[];
  readonly selected: readonly number[];
  readonly text: TextFallback;
  readonly request: ResultRequest;
  /** Limit for values that the file does not store; absent if there is no limit. */
  readonly unwritten?: UnwrittenLimit;
}

export interface UnwrittenLimit {
  /** Maximum bytes of values that the file declares but does not store. */
  readonly most: number;
  /**
   * Indices of the counted columns. For a sparse matrix, the matrix's indices are counted, whichever columns are
   * selected.
   */
  readonly fields: readonly number[];
}

/** Table rows [start, end) of one job. */
export type JobRows = readonly [start: number, end: number];

/** Columns of equal length, one per selected field. */
export interface Batch {
  readonly length: number;
  readonly columns: readonly Column[];
}

/** Maximum size of a row in bytes. Reading a row takes several times as much memory. */
const MAX_ROW_BYTES = 2 ** 28;

/**
 * Returns the number of rows that fit in a batch of `batchBytes`, at least one.
 * @throws {UnsupportedError} if a single row exceeds `MAX_ROW_BYTES`.
 */
export function computeRowsPerBatch(rowBytes: number, batchBytes: number): number {
  checkRowBytes(rowBytes);
  return Math.max(1, Math.floor(batchBytes / Math.max(rowBytes, 1 / 8)));
}

/** @throws {UnsupportedError} if a row exceeds `MAX_ROW_BYTES`. */
export function checkRowBytes(rowBytes: number): void {
  if (rowBytes <= MAX_ROW_BYTES) return;
  throw new UnsupportedError(`one row takes ${Math.round(rowBytes)} bytes, at most ${MAX_ROW_BYTES} are read at once`);
}

export type ResultRequest =
  /**
   * Columns for Arrow batches of at most `batchBytes`, estimated from the schema. With `reuse`, a batch is valid until
   * the next batch is requested, which overwrites the memory.
   */
  | { readonly kind: "batches"; readonly batchBytes: number; readonly reuse?: boolean }
  /** Sums of the values along an axis of a sparse matrix, for each position of the selected field. */
  | { readonly kind: "sums" }
  /** Entries of lists, distributed over bands of minor positions. Their memory is returned for later results. */
  | { readonly kind: "bands"; readonly bands: EntryRanges }
  /**
   * Rows encoded by an encoder, from batches of at most `batchBytes`. With `reuse`, results use the memory of earlier
   * results, which may be larger than needed.
   */
  | {
      readonly kind: "encoded";
      readonly encoder: EncoderName;
      readonly options: EncoderOptions;
      readonly batchBytes: number;
      readonly reuse?: boolean;
    };

/**
 * The result of a job: usually one batch, row group or message, but several if a single batch, row group or message
 * would be too large.
 */
export type JobResult =
  | { readonly kind: "batches"; readonly batches: readonly Batch[] }
  | ({ readonly kind: "sums" } & PartialSums)
  | { readonly kind: "bands"; readonly blocks: readonly EntriesByRange[] }
  | { readonly kind: "encoded"; readonly encoded: readonly EncodedTableChunk[] };

/** Sums over the entries of one job for the positions first, first + 1, …. Other positions have no entries. */
export interface PartialSums {
  readonly first: number;
  readonly sums: Float64Array<ArrayBuffer>;
}
