/** The names of the options for reading tables and datasets. */

import type { BatchOptions, FragmentSelection, VectorOptions } from "./dataset.js";
import { checkOptions, type NamesOf } from "./option-names.js";

/** The axes along which `where` selects. */
const WHERE = { row: true, col: true } as const satisfies NamesOf<NonNullable<BatchOptions["where"]>>;

const FRAGMENTS = { chr: true, range: true, cell: true } as const satisfies NamesOf<FragmentSelection>;

const BATCH_OPTIONS = {
  ...{ rows: true, columns: true, where: WHERE, fragments: FRAGMENTS },
  ...{ batchBytes: true, reuse: true, signal: true },
} as const satisfies NamesOf<BatchOptions>;

const VECTOR_OPTIONS = { layer: true, names: true, signal: true } as const satisfies NamesOf<VectorOptions>;

/** @throws {InvalidInputError} for options that a table's `batches` and `read` do not support. */
export function checkBatchOptions(options: BatchOptions): void {
  checkOptions(options, "reading a table", BATCH_OPTIONS);
}

/** @throws {InvalidInputError} for options that `gene` or `cells` do not support. */
export function checkVectorOptions(options: VectorOptions, called: "gene" | "cells"): void {
  checkOptions(options, called, VECTOR_OPTIONS);
}
