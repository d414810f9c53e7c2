/**
 * Runs the jobs of a task, inline or in a worker: scans a plan for a range of rows, batch by batch, and encodes the
 * batches as the task requests.
 */

import { computeColumnSum } from "../../arrow/column-sum.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { AcquireMemory, EncodedBatch } from "../../ipc/write/message.js";
import type { EntriesByRange } from "../../kernels/sparse/entry-ranges.js";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import type { Codec } from "../../parquet/write/compression.js";
import type { BatchRange, EncodedRowGroup, RowGroupEncoder } from "../../parquet/write/row-group.js";
import { createUnwrittenLimit, type ReadOptions } from "../../sources/source.js";
import { type BufferPool, JobMemory, type ReleasedMemory } from "../memory/buffer-pool.js";
import { findSparsePart, getEntryFieldBytes } from "../plan/matrix-plan.js";
import type { RowsPlan, TablePlan } from "../plan/plan.js";
import { createUnwrittenLimits, ScanState, type UnwrittenLimits } from "../rows/columns.js";
import {
  type Batch,
  computeRowsPerBatch,
  type JobResult,
  type JobRows,
  type ResultRequest,
  type Task,
} from "../rows/task.js";
import { isMemoryReturned } from "./cut.js";
import { readJobBatches, scanRows } from "./scans.js";

// The three memories of a runner. Each is a `JobMemory` or null; at most one of them moves between threads.
//
//                   decode                    encode                          main thread
//   stored arrays ──────────► #rowMemory ──┬── row-groups ──► new memory ───► writes, drops
//                             (ScanState)  ├── ipc ─────────► messages ─────► writes, gives back to its pool
//                                          ├── bands ───────► blocks ───────► transposes, sends back with a later job
//                                          └── batches with reuse ──────────► reads, sends back with a later job
//
//   memory      exists if                                        is released
//   #rowMemory  rows are not needed once they are encoded, or    row-groups: at the end of a job; ipc: after the
//               are lists of entries, or are batches with        messages of a range; bands: after each batch; else by
//               reuse; in a worker later tasks share it          `release(moved)`, once the result is ready to be sent
//   messages    ipc with reuse, in a worker                      by `release(moved)`
//   blocks      bands, in a worker                               by `release(moved)`
//
// Invariants: `reusable` is the one memory that moves away with a result and comes back: #rowMemory for batches with
// reuse, else messages or blocks. `release(moved)` leaves out what was transferred, as this thread cannot use it any
// more. #rowMemory is released only when all rows in it are encoded, copied or moved; only dictionaries remain valid.
// With `MessagePlace`, #rowMemory first gives the columns' memory within a message (`prefer`), so rows are decoded in
// place. In the main thread messages have memory of the caller's pool, or new memory.

/** The encoder of row groups, and the slices that it encodes for the rows of a job. */
interface Encoding {
  readonly encoder: RowGroupEncoder;
  readonly slicesOf: (rows: JobRows) => AsyncGenerator<BatchRange[]>;
}

export class TaskRunner {
  readonly #task: Task;
  readonly #state: ScanState;
  readonly #rowMemory: JobMemory | null;
  /** Memory that moves away with batches or messages and is later returned; null if it is not returned. */
  readonly reusable: JobMemory | null;
  /** Acquires memory for a message; undefined if every message gets new memory. */
  readonly #take: AcquireMemory | undefined;
  #encoding: Promise<Encoding> | undefined;

  /**
   * @param own row memory of the thread, which later tasks reuse; null if rows own their memory. If given, a job's
   * result must be moved or copied, and `release` called, before the next job.
   */
  constructor(task: Task<StoredArray>, options: PartsOptions = {}, own: JobMemory | null = null) {
    this.#task = task;
    const shipped = own !== null;
    const lends = shipped && isMemoryReturned(task);
    const isReused = lends || isSpent(task) || (shipped && task.rows.kind === "entries");
    const rowMemory = isReused ? (own ?? new JobMemory()) : null;
    this.#rowMemory = rowMemory;
    this.#state = new ScanState(task.text, options, rowMemory, limitsOf(task));
    // Messages use separate memory, because the memory of decoded rows stays in this thread.
    const messages = shipped && task.request.kind === "ipc" && task.request.reuse === true ? new JobMemory() : null;
    const blocks = shipped && task.request.kind === "bands" ? new JobMemory() : null;
    this.reusable = lends ? rowMemory : (messages ?? blocks);
    const { memory } = options;
    if (messages !== null) this.#take = (bytes) => messages.take(bytes);
    else if (memory !== undefined) this.#take = (bytes) => memory.take(bytes);
  }

  /** State of the scan between jobs: bands of chunks, dictionaries. */
  get state(): ScanState {
    return this.#state;
  }

  async run(rows: JobRows): Promise<JobResult> {
    const { request } = this.#task;
    switch (request.kind) {
      case "batches": {
        const batches: Batch[] = [];
        for await (const batch of this.#scan(rows, request.batchBytes)) batches.push(batch);
        return { kind: "batches", batches };
      }
      case "bands": {
        const { groupEntriesByRange } = await import("./entries-by-range.js");
        const blocks: EntriesByRange[] = [];
        let [first] = rows;
        for await (const batch of this.#scan(rows, DEFAULT_BATCH_BYTES)) {
          for (const block of groupEntriesByRange(batch, first, request.bands, this.reusable)) blocks.push(block);
          first += batch.length;
          this.#state.release();
        }
        return { kind: "bands", blocks };
      }
      case "sums": {
        const { computePartialSums } = await import("./matrix-scans.js");
        return { kind: "sums", ...(await computePartialSums(this.#task, rows, this.#state)) };
      }
      case "row-groups":
        try {
          return { kind: "row-groups", groups: await this.#rowGroups(rows, request) };
        } finally {
          this.#state.release();
        }
      case "ipc": {
        const messages: EncodedBatch[] = [];
        for (const range of splitMessageRows(this.#task, rows)) {
          const place = this.#place(range);
          for await (const batch of this.#scan(range, request.batchBytes)) {
            messages.push(await this.message(batch, place?.suits(batch) ? (bytes) => place.take(bytes) : undefined));
          }
          this.#state.release();
        }
        return { kind: "ipc", messages };
      }
      default:
        return request satisfies never;
    }
  }

  /**
   * Releases the memory of the last job.
   * @param moved memory that was moved to another thread.
   */
  release(moved: ReadonlySet<ArrayBufferLike>): void {
    const { kind } = this.#task.request;
    // `run` has already released the memory of encoded rows; a second release would drop all of it.
    if (kind !== "ipc" && kind !== "row-groups" && kind !== "bands") this.#state.release(moved);
    else this.reusable?.release(moved);
  }

  /** Yields the results of a job one by one. A job of large chunks may have many batches. */
  async *parts(rows: JobRows): AsyncGenerator<JobResult> {
    const { request } = this.#task;
    if (request.kind !== "ipc") return yield await this.run(rows);
    for await (const batch of this.#scan(rows, request.batchBytes)) {
      const messages = [await this.message(batch)];
      this.#state.release();
      yield { kind: "ipc", messages };
    }
  }

  async message({ columns, length }: Batch, take = this.#take): Promise<EncodedBatch> {
    const { encodeBatchMessage } = await import("../../ipc/write/message.js");
    return encodeBatchMessage(columns, length, take);
  }

  /** Returns message memory into which the rows can be decoded; null if that is not possible. */
  #place(rows: JobRows): MessagePlace | null {
    const place =
      this.#take === undefined || this.#rowMemory === null ? null : MessagePlace.of(this.#task, rows, this.#take);
    if (place !== null) this.#rowMemory?.prefer(place.inScanOrder(this.#task));
    return place;
  }

  #scan([start, end]: JobRows, batchBytes: number): AsyncIterable<Batch> {
    const { rows, fields, selected } = this.#task;
    return readJobBatches(rows, fields, { start, end, fields: selected, batchBytes, state: this.#state });
  }

  async #rowGroups(
    rows: JobRows,
    { compression, summed }: Extract<ResultRequest, { kind: "row-groups" }>,
  ): Promise<readonly EncodedRowGroup[]> {
    this.#encoding ??= this.#loadEncoding(compression);
    const { encoder, slicesOf } = await this.#encoding;
    const groups: EncodedRowGroup[] = [];
    for await (const slices of slicesOf(rows)) {
      const group = await encoder.encode(slices);
      groups.push(summed === undefined ? group : { ...group, sum: sumOfSlices(slices, summed) });
    }
    return groups;
  }

  async #loadEncoding(compression: Codec): Promise<Encoding> {
    const { fields, selected } = this.#task;
    const { createColumnsEncoder, createParquetColumns, ROW_GROUP_BYTES, splitIntoRowGroups } = await import(
      "../../parquet/write/row-group.js"
    );
    const columns = createParquetColumns(selected.map((i) => fields[i]));
    return {
      encoder: await createColumnsEncoder(columns, compression),
      slicesOf: (rows) => splitIntoRowGroups(columns, this.#scan(rows, ROW_GROUP_BYTES)),
    };
  }
}

function sumOfSlices(slices: readonly BatchRange[], place: number): number {
  return slices.reduce((sum, { columns, from, to }) => sum + computeColumnSum(columns[place], from, to), 0);
}

/** Returns the limits for the task's columns, or for the indices of its matrix. */
function limitsOf({ rows, unwritten }: Task): UnwrittenLimits {
  const sparse = findSparsePart(rows);
  if (unwritten === undefined) return new Map();
  const { most, fields } = unwritten;
  const problem = `more than ${most} bytes of its values are stored nowhere in the file, which declares them alone; with lossy (--lossy) the fill value is written for them`;
  const limit = createUnwrittenLimit(most, () => new UnsupportedError(problem));
  if (sparse !== null) return new Map([[sparse.matrix.indices, limit]]);
  switch (rows.kind) {
    case "columns":
      return createUnwrittenLimits(
        fields.map((place) => rows.columns[place]),
        limit,
      );
    case "nonzeros":
    case "matrix-columns":
      return new Map([[rows.array, limit]]);
    default:
      return new Map();
  }
}

/**
 * True if decoded rows are no longer needed once they are encoded. Batches and nested dictionaries are needed longer.
 */
function isSpent({ request, rows }: Task): boolean {
  if (request.kind === "ipc") return ["coordinate", "entries", "fragments"].includes(rows.kind);
  return request.kind === "row-groups";
}

export interface PartsOptions extends ReadOptions {
  /**
   * Memory for messages. The caller must return the memory of each message to the pool once nobody reads the message
   * any more.
   */
  readonly memory?: BufferPool;
  /** Memory of batches, shared with later tables. Only batches requested with `reuse` return their memory. */
  readonly returned?: ReleasedMemory;
}

export const DEFAULT_BATCH_BYTES = 16 * 2 ** 20;

/**
 * Returns the rows of a job; all rows of the table by default.
 * @throws {InvalidInputError} for rows outside the table.
 */
export function checkJobRows(plan: TablePlan, rows: JobRows | undefined): JobRows {
  const total = plan.rows ?? Number.MAX_SAFE_INTEGER;
  if (rows === undefined) return [0, total];
  const [start, end] = rows;
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end && end <= total) {
    return [start, end];
  }
  throw new InvalidInputError(
    `rows ${start} … ${end} were asked for, the table has ${plan.rows ?? "an unknown number"}`,
    {
      element: plan.name,
    },
  );
}

/**
 * Bytes of a batch of 131,072 entries. The allocator reuses the same address for small batches, which stays in the
 * processor's cache.
 */
export const INLINE_BATCH_BYTES = 3 * 2 ** 19;

/** Size in bytes of a batch whose memory is reused: a page of 262,144 entries. */
const REUSED_PAGE_BYTES = 3 * 2 ** 20;

/**
 * Bytes of a batch whose memory is reused, for arrays that are read from files without decoding: a batch costs two
 * reads.
 */
const REUSED_BATCH_BYTES = 2 ** 22;

/** Returns the best size in bytes of a batch with reused memory, for tables decoded inline; null for other tables. */
export function getReusedBatchBytes(rows: RowsPlan): number | null {
  if (isDecodedInline(rows)) return REUSED_PAGE_BYTES;
  return isDecodedInline(rows, true) ? REUSED_BATCH_BYTES : null;
}

/**
 * True if batches are best decoded in the thread that consumes them.
 * @param reuse whether the memory of batches is reused; then local arrays without chunks are decoded inline, too.
 */
export function isDecodedInline(rows: RowsPlan, reuse = false): boolean {
  if (rows.kind === "fragments") return rows.only === null && [rows.cell, rows.start, rows.end].every(isPlain);
  if (rows.kind !== "coordinate" && rows.kind !== "entries" && rows.kind !== "selected") return false;
  // Workers share the search for selected minor positions, which reads all entries.
  if (rows.kind === "selected" && rows.minor !== null) return false;
  // Workers also share the work of moving entries to new positions.
  if (rows.kind === "entries" && rows.minor !== undefined) return false;
  const { data, indices } = rows.matrix;
  return [data, indices].every((array) => isPlain(array) || (reuse && isUnchunkedFile(array)));
}

/** Whether the array is stored in a file without chunks. The chunks of a selected array are unknown here. */
function isUnchunkedFile({ chunks, plan }: StoredArray): boolean {
  return chunks === null && plan !== undefined && plan.container !== "picked";
}

function isPlain({ plan }: StoredArray): boolean {
  return plan?.container === "packed" || plan?.container === "directory";
}

/** Yields the batches of rows [start, end). With `reuse`, a batch is valid until the next request. */
export async function* scanInline(
  task: Task,
  [start, end]: JobRows,
  { batchBytes, reuse = false }: Extract<ResultRequest, { kind: "batches" }>,
  options: ReadOptions,
): AsyncGenerator<Batch> {
  const state = new ScanState(task.text, options, reuse ? new JobMemory() : null);
  const run = { start, end, fields: task.selected, batchBytes, state };
  const { rows } = task;
  if (rows.kind === "coordinate") {
    const { hasPages, scanPages } = await import("./matrix-scans.js");
    if (hasPages(rows.matrix, run)) return yield* scanPages(rows.matrix, run, reuse);
  }
  for await (const batch of scanRows(rows, task.fields, run)) {
    yield batch;
    state.release();
  }
}

// Cuts the rows of a job into IPC messages, and gives columns their place in a message, so that they are decoded in
// place.

/** Bytes reserved before the columns. A matrix has few columns, so its metadata are shorter. */
const HEAD = 1024;

/** Alignment of buffers in a message body. */
const ALIGNMENT = 64;

class MessagePlace {
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
   * Returns the position for the entries of a coordinate table; null for other rows, and for more than one message.
   * @param take allocates memory for the message.
   */
  static of(
    { rows, selected, request }: Task,
    [start, end]: JobRows,
    take: (bytes: number) => Uint8Array<ArrayBuffer>,
  ): MessagePlace | null {
    if (request.kind !== "ipc" || rows.kind !== "coordinate" || end <= start) return null;
    const { type } = rows.matrix.indices;
    // Indices of other widths are converted from one buffer to another, but here all columns share a single block.
    if (type.kind !== "int" || type.bits !== 32) return null;
    const lengths = selected.map((field) => (end - start) * getEntryFieldBytes(rows.matrix, field));
    const bytes = lengths.reduce((sum, length) => sum + aligned(length), 0);
    if (!lengths.every(Number.isInteger) || bytes > request.batchBytes + ALIGNMENT * lengths.length) return null;
    return new MessagePlace(take(HEAD + bytes), lengths);
  }

  /** Returns the columns' memory in the order in which a scan acquires it: the compressed axis first. */
  inScanOrder({ rows, selected }: Task): readonly Uint8Array<ArrayBuffer>[] {
    const major = rows.kind === "coordinate" && rows.matrix.order === "column" ? 1 : 0;
    const first = this.#columns.filter((_, i) => selected[i] === major);
    return [...first, ...this.#columns.filter((_, i) => selected[i] !== major)];
  }

  /** Whether no column of the batch is stored in the memory of another column. */
  suits({ columns }: Batch): boolean {
    return columns.every((column, i) => {
      if (column.layout !== "primitive" || column.validity !== null) return false;
      const { buffer, byteOffset, byteLength } = column.values;
      const place = this.#columns[i];
      return byteLength === place.length && (buffer !== place.buffer || byteOffset === place.byteOffset);
    });
  }

  /** Returns the memory of the message, which ends with the last column. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    return bytes > this.#end ? new Uint8Array(bytes) : this.#block.subarray(this.#end - bytes, this.#end);
  }
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

/**
 * Cuts the rows of a job into ranges of at most one message each. Ranges end at chunk borders, because the rest of a
 * chunk would be copied into the next message. The rows stay one range if chunks are larger than messages, or if there
 * are no chunks.
 */
function splitMessageRows({ rows, selected, request }: Task, [start, end]: JobRows): JobRows[] {
  if (request.kind !== "ipc" || rows.kind !== "coordinate") return [[start, end]];
  const { matrix } = rows;
  const chunk = Math.max(matrix.data.chunks?.[0] ?? 1, matrix.indices.chunks?.[0] ?? 1);
  const rowBytes = selected.reduce((sum, field) => sum + getEntryFieldBytes(matrix, field), 0);
  const most = computeRowsPerBatch(rowBytes, request.batchBytes);
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
