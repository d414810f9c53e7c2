/** What scans yield, and how many rows go into one batch. */

import type { Column } from "../../arrow/column.js";
import { UnsupportedError } from "../../model/errors.js";

/** Columns of equal length, one per field that was asked for. */
export interface Batch {
  readonly length: number;
  readonly columns: readonly Column[];
}

/** No row may take more: it must lie in memory several times over on its way. */
const MAX_ROW_BYTES = 2 ** 28;

/**
 * The number of rows that a batch of `batchBytes` holds, at least one.
 * @throws {UnsupportedError} where a single row passes what fits in memory.
 */
export function rowsOf(rowBytes: number, batchBytes: number): number {
  checkRowBytes(rowBytes);
  return Math.max(1, Math.floor(batchBytes / Math.max(rowBytes, 1 / 8)));
}

/** @throws {UnsupportedError} where a single row passes what fits in memory. */
export function checkRowBytes(rowBytes: number): void {
  if (rowBytes <= MAX_ROW_BYTES) return;
  throw new UnsupportedError(`one row takes ${Math.round(rowBytes)} bytes, at most ${MAX_ROW_BYTES} are read at once`);
}
