import type { RecordBatch } from "apache-arrow";
import { sliceBatch } from "./record-batch.js";

/** `batch` cut to at most `bytes` bytes each, as far as rows are alike. */
export function* batchPieces(batch: RecordBatch, bytes: number): Generator<RecordBatch> {
  const count = Math.ceil(batch.data.byteLength / Math.max(1, bytes));
  const rows = Math.max(1, Math.ceil(batch.numRows / Math.max(1, count)));
  if (rows >= batch.numRows) return yield batch;
  for (let at = 0; at < batch.numRows; at += rows) {
    yield sliceBatch(batch, at, Math.min(at + rows, batch.numRows));
  }
}
