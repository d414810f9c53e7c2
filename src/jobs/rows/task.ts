/**
 * Tasks and the results of their jobs. A task states as plain data which result is made of a table's rows; a job is a
 * range of rows.
 */

import type { Column } from "../../arrow/column.js";
import type { TextFallback } from "../../arrow/text.js";
import type { ArrowField } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { EncodedBatch } from "../../ipc/write/message.js";
import type { BandedEntries, EntryBands } from "../../kernels/sparse/entry-bands.js";
import { UnsupportedError } from "../../model/errors.js";
import type { Codec } from "../../parquet/write/compression.js";
import type { EncodedRowGroup } from "../../parquet/write/row-group.js";
import type { RowsPlan } from "../plan/plan.js";

export interface Task<A = StoredArray> {
  readonly rows: RowsPlan<A>;
  /** Fields of the whole table; `selected` has the positions of the wanted ones, in their order. */
  readonly fields: readonly ArrowField[];
  readonly selected: readonly number[];
  readonly text: TextFallback;
  readonly request: ResultRequest;
  /** Limit of values that are stored nowhere in the file; absent where there is none. */
  readonly unwritten?: UnwrittenLimit;
}

export interface UnwrittenLimit {
  /** Bytes of values that the file declares and stores nowhere. */
  readonly most: number;
  /** Positions of the columns that are counted. Of a sparse matrix, the indices are, whatever columns are wanted. */
  readonly fields: readonly number[];
}

/** Table rows [start, end) of one job. */
export type JobRows = readonly [start: number, end: number];

/** Columns of equal length, one per wanted field. */
export interface Batch {
  readonly length: number;
  readonly columns: readonly Column[];
}

/** Most bytes of a row, which lies in memory several times while it is read. */
const MAX_ROW_BYTES = 2 ** 28;

/**
 * The number of rows that a batch of `batchBytes` holds, at least one.
 * @throws {UnsupportedError} where a single row exceeds `MAX_ROW_BYTES`.
 */
export function rowsPerBatch(rowBytes: number, batchBytes: number): number {
  checkRowBytes(rowBytes);
  return Math.max(1, Math.floor(batchBytes / Math.max(rowBytes, 1 / 8)));
}

/**
 * Checks the size of a row.
 * @throws {UnsupportedError} where it exceeds `MAX_ROW_BYTES`.
 */
export function checkRowBytes(rowBytes: number): void {
  if (rowBytes <= MAX_ROW_BYTES) return;
  throw new UnsupportedError(`one row takes ${Math.round(rowBytes)} bytes, at most ${MAX_ROW_BYTES} are read at once`);
}

export type ResultRequest =
  /**
   * Columns for Arrow batches of at most `batchBytes`, estimated from the schema. With `reuse` a batch lasts until the
   * next one is requested, which overwrites its memory.
   */
  | { readonly kind: "batches"; readonly batchBytes: number; readonly reuse?: boolean }
  /** Sums of the values along an axis of a sparse matrix: for each position of the one selected field. */
  | { readonly kind: "sums" }
  /** Entries of lists, distributed over bands of their minor positions; their memory comes back for later ones. */
  | { readonly kind: "bands"; readonly bands: EntryBands }
  /** Encoded row groups of a Parquet file, with the sums of one selected column of numbers where it is named. */
  | { readonly kind: "row-groups"; readonly compression: Codec; readonly summed?: number }
  /**
   * Messages of Arrow's IPC format, one for each batch of at most `batchBytes`. With `reuse` messages take the memory
   * of earlier ones, which may be larger than they need.
   */
  | { readonly kind: "ipc"; readonly batchBytes: number; readonly reuse?: boolean };

/** The result of one job: usually one batch or row group, several where a single one would be too large. */
export type JobResult =
  | { readonly kind: "batches"; readonly batches: readonly Batch[] }
  | ({ readonly kind: "sums" } & PartialSums)
  | { readonly kind: "bands"; readonly blocks: readonly BandedEntries[] }
  | { readonly kind: "row-groups"; readonly groups: readonly EncodedRowGroup[] }
  | { readonly kind: "ipc"; readonly messages: readonly EncodedBatch[] };

/** Sums over the entries of one job for the positions first, first + 1, …; other positions have no entry in it. */
export interface PartialSums {
  readonly first: number;
  readonly sums: Float64Array<ArrayBuffer>;
}
