/** Record batches that are larger than a message may be, as several. */

import type { Column } from "../../arrow/column.js";
import { takeColumn } from "../../arrow/take.js";
import type { ArrowField } from "../../arrow/type.js";
import { batchMessage, type EncodedBatch } from "../../ipc/write/message.js";

/**
 * The rows of `message` in messages of at most `maxBytes`, in order; itself where it is small enough, and a single row
 * alone whatever its size.
 * @param fields those of its columns, all made by our own encoder.
 */
export async function* splitBatch(
  message: EncodedBatch,
  fields: readonly ArrowField[],
  maxBytes: number,
): AsyncGenerator<EncodedBatch> {
  if (message.bytes.length <= maxBytes || message.rows <= 1) return yield message;
  const { batchColumns } = await import("./batch-columns.js");
  yield* pieces(await batchColumns(message, fields), [0, message.rows], message.bytes.length, maxBytes);
}

/** @param bytes about what the rows take. */
function* pieces(
  columns: readonly Column[],
  [start, end]: readonly [number, number],
  bytes: number,
  maxBytes: number,
): Generator<EncodedBatch> {
  const rows = end - start;
  // What rows take differs: some room is left.
  const count = Math.max(2, Math.ceil((1.1 * bytes) / maxBytes));
  const step = Math.max(1, Math.ceil(rows / count));
  for (let at = start; at < end; at += step) {
    const to = Math.min(end, at + step);
    const places = Int32Array.from({ length: to - at }, (_, i) => at + i);
    const message = batchMessage(
      columns.map((column) => takeColumn(column, places)),
      to - at,
    );
    if (message.bytes.length <= maxBytes || message.rows === 1) yield message;
    else yield* pieces(columns, [at, to], message.bytes.length, maxBytes);
  }
}
