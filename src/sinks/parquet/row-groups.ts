/** Batches of any size as row groups of one size. */

import { type Data, type RecordBatch, util } from "apache-arrow";
import type { DataTable } from "../../dataset.js";
import { InvalidInputError } from "../../errors.js";
import { batchesOf, type SinkOptions } from "../stream.js";
import type { ChunkValues } from "./column-chunk.js";
import type { PlainColumn } from "./plain-column.js";
import { primitiveValues } from "./word-pages.js";

const ROW_GROUP_ROWS = 2 ** 20;
/** Row groups of wide tables have fewer rows. */
const ROW_GROUP_BYTES = 2 ** 26;

/** Rows of a batch, [from, to). */
interface Segment {
  readonly batch: RecordBatch;
  readonly from: number;
  readonly to: number;
}

/** Rows that follow each other in one batch or several; nothing is copied. */
export class RowGroup {
  readonly rows: number;
  readonly #segments: readonly Segment[];

  constructor(segments: readonly Segment[]) {
    this.#segments = segments;
    this.rows = segments.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** @throws {InvalidInputError} where the column at position `i` has nulls, or fewer values than its batch has rows. */
  values(i: number, column: PlainColumn): ChunkValues {
    if (column.values === "bits") return { kind: "bits", parts: this.#parts(i, column, bitRun) };
    const bytes = column.arrowBytes;
    const parts = this.#parts(i, column, (data, from, to) => primitiveValues(data.values, bytes, from, to));
    return { kind: "words", order: column.values, parts };
  }

  #parts<T>(i: number, column: PlainColumn, part: (data: Data, from: number, to: number) => T): T[] {
    return this.#segments.map(({ batch, from, to }) => {
      const data = batch.data.children[i];
      if (data.nullCount > 0) {
        throw new InvalidInputError(`the column ${column.name} has ${data.nullCount} nulls, its field allows none`);
      }
      return part(data, from, to);
    });
  }
}

function bitRun(data: Data, from: number, to: number) {
  const bits: unknown = data.values;
  const found = bits instanceof Uint8Array ? 8 * bits.length : 0;
  if (!(bits instanceof Uint8Array) || found < data.offset + to) {
    throw new InvalidInputError(`a batch should have ${data.offset + to} booleans, there are ${found}`);
  }
  return { bits, offset: data.offset + from, length: to - from };
}

/** The rows of `table` in groups of 2^20, or of 64 MiB of values; none where it has no rows. */
export async function* rowGroupsOf(
  table: DataTable,
  columns: readonly PlainColumn[],
  options: SinkOptions,
): AsyncGenerator<RowGroup> {
  const rowBytes = columns.reduce((sum, { arrowBytes }) => sum + arrowBytes, 0);
  const most = Math.max(1, Math.min(ROW_GROUP_ROWS, Math.floor(ROW_GROUP_BYTES / rowBytes)));
  let segments: Segment[] = [];
  let room = most;
  for await (const batch of batchesOf(table, options)) {
    if (!util.compareSchemas(table.schema, batch.schema)) {
      throw new InvalidInputError(`a batch has the schema ${batch.schema}, its table ${table.schema}`);
    }
    for (let from = 0; from < batch.numRows; ) {
      const to = Math.min(batch.numRows, from + room);
      segments.push({ batch, from, to });
      room -= to - from;
      from = to;
      if (room > 0) continue;
      yield new RowGroup(segments);
      segments = [];
      room = most;
    }
  }
  if (segments.length > 0) yield new RowGroup(segments);
}
