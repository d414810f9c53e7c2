/** Runs the jobs of one task, in whatever thread: the same code inline and in a worker. */

import type { StoredArray } from "../containers/container.js";
import type { EncodedBatch } from "../sinks/ipc/message.js";
import type { Codec } from "../sinks/parquet/footer.js";
import type { EncodedRowGroup, RowGroupEncoder, Segment } from "../sinks/parquet/row-group.js";
import type { ReadOptions } from "../sources/source.js";
import { partialSums } from "./axis-sums.js";
import type { Batch } from "./batch.js";
import { ScanState } from "./columns.js";
import { isLent } from "./lent.js";
import type { Part } from "./product.js";
import { jobBatches } from "./scan.js";
import { Scratch } from "./scratch.js";
import type { JobRows, Task } from "./task.js";

/** The rows of a job as row groups. */
interface Encoding {
  readonly encoder: RowGroupEncoder;
  readonly segmentsOf: (rows: JobRows) => AsyncGenerator<Segment[]>;
}

export class TaskRunner {
  readonly #task: Task;
  readonly #state: ScanState;
  /** Whose memory batches take with them, and which it comes back to; null where they keep it. */
  readonly lender: Scratch | null;
  #encoding: Promise<Encoding> | undefined;

  /** @param shipped whether what a job gives moves away or is copied before the next one, and `release` called. */
  constructor(task: Task<StoredArray>, options: ReadOptions = {}, shipped = false) {
    this.#task = task;
    const lends = shipped && isLent(task);
    const scratch = lends || isSpent(task) || (shipped && task.rows.kind === "entries") ? new Scratch() : null;
    this.#state = new ScanState(task.text, options, scratch);
    this.lender = lends ? scratch : null;
  }

  /** What the scan keeps between jobs: bands of chunks, dictionaries. */
  get state(): ScanState {
    return this.#state;
  }

  async run(rows: JobRows): Promise<Part> {
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
        for await (const batch of this.#scan(rows, product.batchBytes)) messages.push(await message(batch));
        this.#state.release();
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
    this.#state.release(moved);
  }

  /** The same, one by one: a job of large chunks has many batches. */
  async *parts(rows: JobRows): AsyncGenerator<Part> {
    const { product } = this.#task;
    if (product.kind !== "ipc") return yield await this.run(rows);
    for await (const batch of this.#scan(rows, product.batchBytes)) {
      const messages = [await message(batch)];
      this.#state.release();
      yield { kind: "ipc", messages };
    }
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
      import("../sinks/parquet/row-group.js"),
      import("../sinks/parquet/row-groups.js"),
    ]);
    const columns = parquetColumns(selected.map((i) => fields[i]));
    return {
      encoder: await encoderOf(columns, compression),
      segmentsOf: (rows) => rowGroupsOf(columns, this.#scan(rows, ROW_GROUP_BYTES)),
    };
  }
}

/** A batch as a message of Arrow's IPC format. */
export async function message({ columns, length }: Batch): Promise<EncodedBatch> {
  const { batchMessage } = await import("../sinks/ipc/message.js");
  return batchMessage(columns, length);
}

/** Whether what was decoded has served once it is encoded: a batch is kept by whoever takes it, as are nested dictionaries. */
function isSpent({ product, rows }: Task): boolean {
  if (product.kind === "ipc") return ["coordinate", "entries", "fragments"].includes(rows.kind);
  return product.kind === "row-groups";
}
