/**
 * Runs the jobs of a task, inline or in a worker: scans a plan for a range of rows, batch by batch, and encodes the
 * batches as the task requests.
 */

import type { AcquireMemory, EncodedTableChunk, Encoder, Encoding, EncodingMemory } from "../../arrow/encoder.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { createUnwrittenLimit, type ReadOptions } from "../../io/sources/source.js";
import type { EntriesByRange } from "../../kernels/sparse/entry-ranges.js";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import { ENCODERS } from "../encoders.js";
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
//   stored arrays ──────────► #rowMemory ──┬── encoded ─────► new memory ───► writes, drops
//                             (ScanState)  ├── with reuse ──► encoded ──────► writes, gives back to its pool
//                                          ├── bands ───────► blocks ───────► transposes, sends back with a later job
//                                          └── batches with reuse ──────────► reads, sends back with a later job
//
//   memory      exists if                                        is released
//   #rowMemory  rows are not needed once they are encoded, or    encoded: after the rows of a range; bands: after
//               are lists of entries, or are batches with        each batch; else by `release(moved)`, once the
//               reuse; in a worker later tasks share it          result is ready to be sent
//   encoded     with reuse, in a worker                          by `release(moved)`
//   blocks      bands, in a worker                               by `release(moved)`
//
// Invariants: `reusable` is the only memory that moves away with a result and comes back: #rowMemory for batches with
// reuse, otherwise the memory of encoded rows or blocks. `release(moved)` leaves out transferred memory, as this thread
// can no longer use it. #rowMemory is released only when all rows in it are encoded, copied or moved; after that, only
// dictionaries remain valid. If the encoder reserves memory for columns, #rowMemory provides that memory first
// (`prefer`), so rows are decoded in place. In the main thread, encoded rows use memory from the caller's pool, or new
// memory.

export class TaskRunner {
  readonly #task: Task;
  readonly #state: ScanState;
  readonly #rowMemory: JobMemory | null;
  /** Memory that moves away with batches or encoded rows and is later returned; null if it is not returned. */
  readonly reusable: JobMemory | null;
  /** The encoder of the task; null if its result is not encoded. */
  readonly encoder: Encoder | null;
  /** Acquires memory for encoded rows; undefined if they always get new memory. */
  readonly #take: AcquireMemory | undefined;
  #encoding: Encoding | null = null;

  /**
   * Creates a runner, and loads the encoder of its task.
   * @param own the thread's row memory, which later tasks reuse; null if rows own their memory. If it is given, a job's
   * result must be moved or copied, and `release` called, before the next job.
   */
  static async create(
    task: Task<StoredArray>,
    options: PartsOptions = {},
    own: JobMemory | null = null,
  ): Promise<TaskRunner> {
    const { request } = task;
    return new TaskRunner(task, options, own, request.kind === "encoded" ? await ENCODERS[request.encoder]() : null);
  }

  private constructor(task: Task<StoredArray>, options: PartsOptions, own: JobMemory | null, encoder: Encoder | null) {
    this.#task = task;
    this.encoder = encoder;
    const shipped = own !== null;
    const lends = shipped && isMemoryReturned(task);
    const isReused = lends || areRowsSpent(task, encoder) || (shipped && task.rows.kind === "entries");
    const rowMemory = isReused ? (own ?? new JobMemory()) : null;
    this.#rowMemory = rowMemory;
    this.#state = new ScanState(task.text, options, rowMemory, limitsOf(task));
    // Encoded rows use separate memory, because the memory of decoded rows stays in this thread.
    const encoded = shipped && task.request.kind === "encoded" && task.request.reuse === true ? new JobMemory() : null;
    const blocks = shipped && task.request.kind === "bands" ? new JobMemory() : null;
    this.reusable = lends ? rowMemory : (encoded ?? blocks);
    const { memory } = options;
    if (encoded !== null) this.#take = (bytes) => encoded.take(bytes);
    else if (memory !== undefined) this.#take = (bytes) => memory.take(bytes);
  }

  /** Scan state that is kept between jobs: bands of chunks, and dictionaries. */
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
      case "encoded": {
        const encoded: EncodedTableChunk[] = [];
        const { reserve } = this.#begin();
        for (const range of reserve === undefined ? [rows] : splitBatchRows(this.#task, rows)) {
          const take = this.#reserve(range);
          for await (const one of this.encode(this.#scan(range, request.batchBytes), { take })) encoded.push(one);
          this.#state.release();
        }
        return { kind: "encoded", encoded };
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
    // `run` has already released the memory of encoded rows. A second release would drop all of this memory.
    if (kind !== "encoded" && kind !== "bands") this.#state.release(moved);
    else this.reusable?.release(moved);
  }

  /** Yields the results of a job one by one. A job of large chunks may have many batches. */
  async *parts(rows: JobRows): AsyncGenerator<JobResult> {
    const { request } = this.#task;
    if (request.kind !== "encoded") return yield await this.run(rows);
    const release = () => this.#state.release();
    for await (const one of this.encode(this.#scan(rows, request.batchBytes), { release })) {
      yield { kind: "encoded", encoded: [one] };
    }
  }

  encode(
    batches: AsyncIterable<Batch>,
    { take = this.#take, release }: EncodingMemory,
  ): AsyncIterable<EncodedTableChunk> {
    return this.#begin().encode(batches, { take, release });
  }

  #begin(): Encoding {
    const { request, fields, selected } = this.#task;
    if (request.kind !== "encoded") throw new TypeError("this task encodes nothing");
    this.#encoding ??=
      this.encoder?.begin(
        selected.map((i) => fields[i]),
        request.options,
      ) ?? null;
    if (this.#encoding !== null) return this.#encoding;
    throw new UnsupportedError(`the encoder ${request.encoder} does not support the columns`);
  }

  /**
   * Reserves memory for one batch's encoded rows, so that a coordinate table can be decoded into it.
   * @returns a function that takes this memory; undefined if the rows cannot be decoded in place, or become several
   * batches.
   */
  #reserve([start, end]: JobRows): EncodingMemory["take"] {
    const { rows, selected, request } = this.#task;
    const [take, rowMemory, { reserve }] = [this.#take, this.#rowMemory, this.#begin()];
    if (take === undefined || rowMemory === null || reserve === undefined || end <= start) return undefined;
    if (request.kind !== "encoded" || rows.kind !== "coordinate") return undefined;
    const { matrix } = rows;
    // Indices of other widths are converted from one buffer to another, but here all columns share a single block.
    if (matrix.indices.type.kind !== "int" || matrix.indices.type.bits !== 32) return undefined;
    const lengths = selected.map((field) => (end - start) * getEntryFieldBytes(matrix, field));
    const bytes = lengths.reduce((sum, length) => sum + length, 0);
    if (!lengths.every(Number.isInteger) || bytes > request.batchBytes) return undefined;
    const reserved = reserve(lengths, take);
    // A scan acquires the memory of the compressed axis first.
    const major = matrix.order === "column" ? 1 : 0;
    const isMajor = (_: unknown, i: number) => selected[i] === major;
    const others = reserved.columns.filter((column, i) => !isMajor(column, i));
    rowMemory.prefer([...reserved.columns.filter(isMajor), ...others]);
    return (length, columns) => reserved.take(length, columns) ?? take(length);
  }

  #scan([start, end]: JobRows, batchBytes: number): AsyncIterable<Batch> {
    const { rows, fields, selected } = this.#task;
    return readJobBatches(rows, fields, { start, end, fields: selected, batchBytes, state: this.#state });
  }
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
function areRowsSpent({ rows }: Task, encoder: Encoder | null): boolean {
  return encoder !== null && (encoder.isFlat || ["coordinate", "entries", "fragments"].includes(rows.kind));
}

export interface PartsOptions extends ReadOptions {
  /**
   * Memory for encoded rows. The caller must return each result's memory to the pool when the result is no longer read.
   */
  readonly memory?: BufferPool;
  /** Memory of batches, shared with later tables. Only batches requested with `reuse` return their memory. */
  readonly returned?: ReleasedMemory;
}

export const DEFAULT_BATCH_BYTES = 16 * 2 ** 20;

/**
 * Returns the rows of a job; all rows of the table by default.
 * @throws {InvalidInputError} if the rows are outside the table.
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
 * Bytes of a batch of 131,072 entries. For small batches, the allocator reuses the same address, so the memory stays in
 * the processor's cache.
 */
export const INLINE_BATCH_BYTES = 3 * 2 ** 19;

/** Size in bytes of a batch whose memory is reused: a page of 262,144 entries. */
const REUSED_PAGE_BYTES = 3 * 2 ** 20;

/**
 * Bytes of a batch whose memory is reused, for arrays that are read from files without decoding. Each batch costs two
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
 * @param reuse whether the memory of batches is reused. If so, local arrays without chunks are decoded inline, too.
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

/**
 * Cuts the rows of a job into ranges of at most one batch each. Ranges end at chunk borders, because otherwise the rest
 * of a chunk would be copied into the next batch. The rows stay one range if chunks are larger than batches, or if
 * there are no chunks.
 */
function splitBatchRows({ rows, selected, request }: Task, [start, end]: JobRows): JobRows[] {
  if (request.kind !== "encoded" || rows.kind !== "coordinate") return [[start, end]];
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
