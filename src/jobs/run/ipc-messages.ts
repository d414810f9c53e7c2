/**
 * Cuts the rows of a job into IPC messages, and gives columns their place in a message, so that they are decoded in
 * place.
 */

import { entryFieldBytes } from "../plan/matrix-plan.js";
import { type Batch, type JobRows, rowsPerBatch, type Task } from "../rows/task.js";

/** Bytes in front of the columns: a matrix has few columns, and their metadata are shorter. */
const HEAD = 1024;

/** Alignment of buffers in a message body. */
const ALIGNMENT = 64;

export class MessagePlace {
  readonly #block: Uint8Array<ArrayBuffer>;
  readonly #columns: readonly Uint8Array<ArrayBuffer>[];
  readonly #end: number;

  private constructor(block: Uint8Array<ArrayBuffer>, lengths: readonly number[]) {
    this.#block = block;
    let at = HEAD;
    this.#columns = lengths.map((length) => {
      const column = block.subarray(at, at + length);
      at += aligned(length);
      return column;
    });
    this.#end = at;
  }

  /**
   * The place for the entries of a coordinate table; null for other rows, and for more than one message.
   * @param take takes memory for the message.
   */
  static of(
    { rows, selected, request }: Task,
    [start, end]: JobRows,
    take: (bytes: number) => Uint8Array<ArrayBuffer>,
  ): MessagePlace | null {
    if (request.kind !== "ipc" || rows.kind !== "coordinate" || end <= start) return null;
    const { type } = rows.matrix.indices;
    // Indices of other widths are converted from one buffer to a second one; here all columns share a single block.
    if (type.kind !== "int" || type.bits !== 32) return null;
    const lengths = selected.map((field) => (end - start) * entryFieldBytes(rows.matrix, field));
    const bytes = lengths.reduce((sum, length) => sum + aligned(length), 0);
    if (!lengths.every(Number.isInteger) || bytes > request.batchBytes + ALIGNMENT * lengths.length) return null;
    return new MessagePlace(take(HEAD + bytes), lengths);
  }

  /** The columns' places in the order in which a scan takes memory: the compressed axis first. */
  inScanOrder({ rows, selected }: Task): readonly Uint8Array<ArrayBuffer>[] {
    const major = rows.kind === "coordinate" && rows.matrix.order === "column" ? 1 : 0;
    const first = this.#columns.filter((_, i) => selected[i] === major);
    return [...first, ...this.#columns.filter((_, i) => selected[i] !== major)];
  }

  /** Whether no column of the batch lies where another one belongs. */
  suits({ columns }: Batch): boolean {
    return columns.every((column, i) => {
      if (column.layout !== "primitive" || column.validity !== null) return false;
      const { buffer, byteOffset, byteLength } = column.values;
      const place = this.#columns[i];
      return byteLength === place.length && (buffer !== place.buffer || byteOffset === place.byteOffset);
    });
  }

  /** Memory for the message, which ends where the last column does. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    return bytes > this.#end ? new Uint8Array(bytes) : this.#block.subarray(this.#end - bytes, this.#end);
  }
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

/**
 * Cuts the rows of a job into ranges of at most one message each. A range ends where a chunk does: the rest of a chunk
 * in the next message would be copied. Rows stay one range where chunks are larger than messages, or there are no
 * chunks.
 */
export function messageRows({ rows, selected, request }: Task, [start, end]: JobRows): JobRows[] {
  if (request.kind !== "ipc" || rows.kind !== "coordinate") return [[start, end]];
  const { matrix } = rows;
  const chunk = Math.max(matrix.data.chunks?.[0] ?? 1, matrix.indices.chunks?.[0] ?? 1);
  const rowBytes = selected.reduce((sum, field) => sum + entryFieldBytes(matrix, field), 0);
  const most = rowsPerBatch(rowBytes, request.batchBytes);
  const step = most - (most % chunk);
  if (chunk === 1 || step === 0) return [[start, end]];
  const ranges: JobRows[] = [];
  for (let at = start; at < end; ) {
    const stop = Math.min(end, at - (at % chunk) + step);
    ranges.push([at, stop]);
    at = stop;
  }
  return ranges;
}
