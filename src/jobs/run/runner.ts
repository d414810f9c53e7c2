/** Runs the jobs of one task, in whatever thread: the same code inline and in a worker. */

import type { StoredArray } from "../../containers/tree/container.js";
import type { EncodedBatch, TakeMemory } from "../../ipc/write/message.js";
import { UnsupportedError } from "../../model/errors.js";
import type { Codec } from "../../parquet/write/compression.js";
import type { EncodedRowGroup, RowGroupEncoder, Segment } from "../../parquet/write/row-group.js";
import { type ReadOptions, unwrittenLimit } from "../../sources/source.js";
import { type BufferPool, JobMemory } from "../memory/buffer-pool.js";
import { ScanState, type UnwrittenLimits, unwrittenLimits } from "../rows/columns.js";
import type { Batch, JobResult, JobRows, Task } from "../rows/task.js";
import { partialSums } from "./axis-sums.js";
import { returnsMemory } from "./cut.js";
import { MessagePlace, messageRows } from "./ipc-messages.js";
import { jobBatches } from "./scan.js";

/** The rows of a job as row groups. */
interface Encoding {
  readonly encoder: RowGroupEncoder;
  readonly segmentsOf: (rows: JobRows) => AsyncGenerator<Segment[]>;
}

export class TaskRunner {
  readonly #task: Task;
  readonly #state: ScanState;
  readonly #scratch: JobMemory | null;
  /** Memory that moves away with batches or messages and comes back later; null where they keep their memory. */
  readonly reusable: JobMemory | null;
  /** For messages; undefined where each has memory of its own. */
  readonly #take: TakeMemory | undefined;
  #encoding: Promise<Encoding> | undefined;

  /** @param shipped whether what a job gives moves away or is copied before the next one, and `release` called. */
  constructor(task: Task<StoredArray>, options: PartsOptions = {}, shipped = false) {
    this.#task = task;
    const lends = shipped && returnsMemory(task);
    const scratch = lends || isSpent(task) || (shipped && task.rows.kind === "entries") ? new JobMemory() : null;
    this.#scratch = scratch;
    this.#state = new ScanState(task.text, options, scratch, limitsOf(task));
    // Messages have memory of their own: the memory in which rows are decoded stays here.
    const messages = shipped && task.product.kind === "ipc" && task.product.reuse === true ? new JobMemory() : null;
    this.reusable = lends ? scratch : messages;
    const { memory } = options;
    if (messages !== null) this.#take = (bytes) => messages.take(bytes);
    else if (memory !== undefined) this.#take = (bytes) => memory.take(bytes);
  }

  /** What the scan keeps between jobs: bands of chunks, dictionaries. */
  get state(): ScanState {
    return this.#state;
  }

  async run(rows: JobRows): Promise<JobResult> {
    const { product } = this.#task;
    switch (product.kind) {
      case "batches": {
        const batches: Batch[] = [];
        for await (const batch of this.#scan(rows, product.batchBytes)) batches.push(batch);
        return { kind: "batches", batches };
      }
      case "sums":
        return { kind: "sums", ...(await partialSums(this.#task, rows, this.#state)) };
      case "row-groups":
        try {
          return { kind: "row-groups", groups: await this.#rowGroups(rows, product.compression) };
        } finally {
          this.#state.release();
        }
      case "ipc": {
        const messages: EncodedBatch[] = [];
        for (const range of messageRows(this.#task, rows)) {
          const place = this.#place(range);
          for await (const batch of this.#scan(range, product.batchBytes)) {
            messages.push(await this.message(batch, place?.suits(batch) ? (bytes) => place.take(bytes) : undefined));
          }
          this.#state.release();
        }
        return { kind: "ipc", messages };
      }
      default:
        return product satisfies never;
    }
  }

  /**
   * Ends the use of the memory of the last job.
   * @param moved what of it is no longer here.
   */
  release(moved: ReadonlySet<ArrayBufferLike>): void {
    const { kind } = this.#task.product;
    // Once rows are encoded this has been done: a second time would give up all memory.
    if (kind !== "ipc" && kind !== "row-groups") this.#state.release(moved);
    else this.reusable?.release(moved);
  }

  /** The same, one by one: a job of large chunks has many batches. */
  async *parts(rows: JobRows): AsyncGenerator<JobResult> {
    const { product } = this.#task;
    if (product.kind !== "ipc") return yield await this.run(rows);
    for await (const batch of this.#scan(rows, product.batchBytes)) {
      const messages = [await this.message(batch)];
      this.#state.release();
      yield { kind: "ipc", messages };
    }
  }

  /** A batch as a message of Arrow's IPC format. */
  async message({ columns, length }: Batch, take = this.#take): Promise<EncodedBatch> {
    const { batchMessage } = await import("../../ipc/write/message.js");
    return batchMessage(columns, length, take);
  }

  /** Lets the rows be decoded to where their one message will lie; null where they are not. */
  #place(rows: JobRows): MessagePlace | null {
    const place =
      this.#take === undefined || this.#scratch === null ? null : MessagePlace.of(this.#task, rows, this.#take);
    if (place !== null) this.#scratch?.prefer(place.inScanOrder(this.#task));
    return place;
  }

  #scan([start, end]: JobRows, batchBytes: number): AsyncIterable<Batch> {
    const { rows, fields, selected } = this.#task;
    return jobBatches(rows, fields, { start, end, fields: selected, batchBytes, state: this.#state });
  }

  async #rowGroups(rows: JobRows, compression: Codec): Promise<readonly EncodedRowGroup[]> {
    this.#encoding ??= this.#loadEncoding(compression);
    const { encoder, segmentsOf } = await this.#encoding;
    const groups: EncodedRowGroup[] = [];
    for await (const segments of segmentsOf(rows)) groups.push(await encoder.encode(segments));
    return groups;
  }

  async #loadEncoding(compression: Codec): Promise<Encoding> {
    const { fields, selected } = this.#task;
    const [{ encoderOf, parquetColumns }, { ROW_GROUP_BYTES, rowGroupsOf }] = await Promise.all([
      import("../../parquet/write/row-group.js"),
      import("../../parquet/write/row-group.js"),
    ]);
    const columns = parquetColumns(selected.map((i) => fields[i]));
    return {
      encoder: await encoderOf(columns, compression),
      segmentsOf: (rows) => rowGroupsOf(columns, this.#scan(rows, ROW_GROUP_BYTES)),
    };
  }
}

/** The limits of the task's columns. */
function limitsOf({ rows, unwritten }: Task): UnwrittenLimits {
  if (unwritten === undefined || rows.kind !== "columns") return new Map();
  const { most, fields } = unwritten;
  const problem = `more than ${most} bytes of its values are stored nowhere in the file, which declares them alone; with lossy (--lossy) the fill value is written for them`;
  const limit = unwrittenLimit(most, () => new UnsupportedError(problem));
  return unwrittenLimits(
    fields.map((place) => rows.columns[place]),
    limit,
  );
}

/** Whether what was decoded has served once it is encoded: a batch is kept by whoever takes it, as are nested dictionaries. */
function isSpent({ product, rows }: Task): boolean {
  if (product.kind === "ipc") return ["coordinate", "entries", "fragments"].includes(rows.kind);
  return product.kind === "row-groups";
}

export interface PartsOptions extends ReadOptions {
  /** Of messages; where there is any, those of the task come from it, and may go back to it. */
  readonly memory?: BufferPool;
}
