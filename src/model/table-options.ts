/** The names of the options with which tables and datasets are read. */

import type { BatchOptions, FragmentSelection, VectorOptions } from "./dataset.js";
import { checkOptions, type NamesOf } from "./option-names.js";

/** The axes along which `where` chooses. */
const WHERE = { row: true, col: true } as const satisfies NamesOf<NonNullable<BatchOptions["where"]>>;

const FRAGMENTS = { chr: true, range: true, cell: true } as const satisfies NamesOf<FragmentSelection>;

const BATCH_OPTIONS = {
  ...{ rows: true, columns: true, where: WHERE, fragments: FRAGMENTS },
  ...{ batchBytes: true, reuse: true, signal: true },
} as const satisfies NamesOf<BatchOptions>;

const VECTOR_OPTIONS = { layer: true, names: true, signal: true } as const satisfies NamesOf<VectorOptions>;

/** @throws {InvalidInputError} for options that `batches` and `read` of a table do not have. */
export function checkBatchOptions(options: BatchOptions): void {
  checkOptions(options, "reading a table", BATCH_OPTIONS);
}

/** @throws {InvalidInputError} for options that `gene` or `cells` do not have. */
export function checkVectorOptions(options: VectorOptions, called: "gene" | "cells"): void {
  checkOptions(options, called, VECTOR_OPTIONS);
}
