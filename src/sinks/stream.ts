/** Code shared by all sinks: their options, and the function that reads a table's batches. */

import type { RecordBatch } from "apache-arrow";
import type { DataTable, Progress } from "../model/dataset.js";
import { locateError } from "../model/errors.js";
import type { NamesOf } from "../model/option-names.js";
import type { ColumnTableInput } from "../tables/given/arrow-column-table.js";
import { convertInputToTable } from "../tables/given/given-table.js";

export interface SinkOptions {
  /** Maximum bytes of one batch; by default the table's batch size. */
  readonly batchBytes?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export const SINK_OPTIONS = {
  batchBytes: true,
  signal: true,
  onProgress: true,
} as const satisfies NamesOf<SinkOptions>;

/** Yields the batches of `table`, one at a time. Errors name the table. */
export async function* streamBatches(table: DataTable, options: SinkOptions = {}): AsyncGenerator<RecordBatch> {
  const { signal, onProgress, batchBytes } = options;
  const report = (done: number) => onProgress?.({ element: table.name, done, total: table.rows, unit: "rows" });
  let done = 0;
  try {
    signal?.throwIfAborted();
    report(0);
    const read = { batchBytes, signal };
    for await (const batch of table.batches(read)) {
      signal?.throwIfAborted();
      yield batch;
      done += batch.numRows;
      report(done);
    }
  } catch (error) {
    throw locateError(error, { element: table.name });
  }
}

/** Yields the chunks that `write` produces from a caller's table. */
export async function* encodeInputTable(
  table: ColumnTableInput,
  write: (table: DataTable) => AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* write(await convertInputToTable(table));
}
