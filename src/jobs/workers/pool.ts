/**
 * The one pool of workers. They are started when first needed, as many as there are cores, and kept for the next task.
 */

import { platform } from "#platform";
import type { ArrayPlan } from "../../containers/tree/container.js";
import { UnsupportedError } from "../../model/errors.js";
import type { EncodedRowGroup } from "../../parquet/write/row-group.js";
import type { Thread, Threads } from "../../platform/platform.js";
import type { JobResult, JobRows, Task } from "../rows/task.js";
import { fromPlainError, type RawChunk, type Reply, type WorkerRequest } from "./messages.js";
import type { EncoderPlan, PackedSlices } from "./packed-slices.js";

/** Jobs that a worker has at once: the one that runs, and the next one. */
const QUEUED = 2;

type TaskRequest = Extract<WorkerRequest, { kind: "task" | "encoder" }>;
type JobRequest = Extract<WorkerRequest, { kind: "job" | "encode" | "encode-chunks" }>;
type JobReply = Extract<Reply, { kind: "result" | "encoded" | "encoded-chunks" }>;

interface Job {
  readonly id: number;
  readonly task: number;
  readonly request: JobRequest;
  readonly transfer: ArrayBuffer[];
  readonly resolve: (reply: JobReply) => void;
  readonly reject: (error: unknown) => void;
}

/** The result of a job, and its memory that may go back to the worker with a later job. */
export interface JobReturn {
  readonly result: JobResult;
  readonly memory: readonly ArrayBuffer[];
}

/** A row group, and the memory that its rows were sent in. */
export interface Encoded {
  readonly group: EncodedRowGroup;
  readonly memory: ArrayBuffer;
}

/** Encoded chunks, and the memory that they were sent in. */
export type EncodedChunks = Extract<Reply, { kind: "encoded-chunks" }>;

interface Worker {
  readonly thread: Thread;
  readonly jobs: Map<number, Job>;
  /** Tasks that the worker knows. */
  readonly tasks: Set<number>;
  ready: boolean;
}

export class WorkerPool {
  readonly #threads: Threads;
  readonly #workers = new Set<Worker>();
  /** The request that tells a worker of a task; null where a worker needs none. */
  readonly #tasks = new Map<number, TaskRequest | null>();
  #waiting: Job[] = [];
  #next = 0;
  #broken: string | null = null;
  #size: number;

  constructor(threads: Threads) {
    this.#threads = threads;
    this.#size = threads.count;
  }

  /** Most workers. */
  get size(): number {
    return this.#size;
  }

  /** Takes care that no more than so many workers are started, where memory is worth more than time. */
  limit(count: number): void {
    this.#size = Math.min(count, this.#threads.count);
  }

  /** The reason why no worker can be started here, once a start has failed: then jobs run inline. Null before. */
  get broken(): string | null {
    return this.#broken;
  }

  /** Whether a worker runs, or none ever will. */
  get ready(): boolean {
    return this.#broken !== null || [...this.#workers].some(({ ready }) => ready);
  }

  /** Starts workers, all by default, before their tasks are known. */
  start(count = this.size): void {
    while (this.#broken === null && this.#workers.size < count) this.#startWorker();
  }

  /** Begins a task, whose jobs can be run until `end`. */
  begin(plan: Task<ArrayPlan>): number {
    const task = this.#next++;
    this.#tasks.set(task, { kind: "task", task, plan });
    return task;
  }

  /** Begins a task whose rows are given job by job, until `end`. */
  beginEncoder(plan: EncoderPlan): number {
    const task = this.#next++;
    this.#tasks.set(task, { kind: "encoder", task, plan });
    return task;
  }

  /** Begins a task of chunks, until `end`. */
  beginChunks(): number {
    const task = this.#next++;
    this.#tasks.set(task, null);
    return task;
  }

  /**
   * Runs a job of a task. Jobs begin in the order of the calls.
   * @param memory memory of an earlier result of the task that nobody reads any more; it moves to the worker.
   * @throws {WorkersUnavailable} where no worker could be started: nothing was done.
   */
  async run(task: number, rows: JobRows, memory: readonly ArrayBuffer[] = []): Promise<JobReturn> {
    const job = this.#next++;
    const reply = await this.#ask({ kind: "job", task, job, rows, memory }, [...memory]);
    if (reply.kind !== "result") throw new TypeError(`a worker sent ${reply.kind} for a job`);
    return reply;
  }

  /**
   * Encodes a row group, whose memory moves away and comes back, in workers that were started before. Fails as `run`
   * does.
   */
  async encode(task: number, { slices, memory }: PackedSlices): Promise<Encoded> {
    const job = this.#next++;
    const reply = await this.#ask({ kind: "encode", task, job, slices, memory }, [memory]);
    if (reply.kind !== "encoded") throw new TypeError(`a worker sent ${reply.kind} for a row group`);
    return reply;
  }

  /**
   * Encodes chunks, whose memory moves away and comes back, in workers that run already.
   * @throws {WorkersUnavailable} where no worker is left: nothing was moved.
   */
  async encodeChunks(task: number, chunks: readonly RawChunk[]): Promise<EncodedChunks> {
    const job = this.#next++;
    const memory = chunks.map(({ bytes }) => bytes.buffer);
    const reply = await this.#ask({ kind: "encode-chunks", task, job, chunks }, memory);
    if (reply.kind !== "encoded-chunks") throw new TypeError(`a worker sent ${reply.kind} for chunks`);
    return reply;
  }

  /** Drops the task's jobs that wait, and lets the workers close its files. */
  end(task: number): void {
    this.#tasks.delete(task);
    this.#waiting = this.#waiting.filter((job) => job.task !== task);
    for (const worker of this.#workers) {
      if (worker.tasks.delete(task)) worker.thread.post({ kind: "forget", task }, []);
      // Replies to dropped jobs may still arrive, and are ignored.
      for (const [id, job] of worker.jobs) if (job.task === task) worker.jobs.delete(id);
      if (worker.jobs.size === 0) worker.thread.idle();
    }
    this.#deal();
  }

  /** Ends all workers at once. */
  stop(): void {
    for (const worker of this.#workers) worker.thread.stop();
    this.#workers.clear();
  }

  #ask(request: JobRequest, transfer: ArrayBuffer[]): Promise<JobReply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id: request.job, task: request.task, request, transfer, resolve, reject });
      this.#deal();
    });
  }

  #deal(): void {
    while (this.#waiting.length > 0) {
      if (this.#broken !== null) {
        const reason = this.#broken;
        for (const { reject } of this.#waiting.splice(0)) reject(new WorkersUnavailable(reason));
        return;
      }
      const { kind } = this.#waiting[0].request;
      if (kind === "encode-chunks" && this.#workers.size === 0) {
        this.#waiting.shift()?.reject(new WorkersUnavailable("no worker runs"));
        continue;
      }
      const worker = kind === "encode-chunks" ? this.#leastBusyReady() : this.#leastBusy(kind === "job");
      if (worker === null) return;
      const job = this.#waiting.shift();
      if (job !== undefined) this.#hand(worker, job);
    }
  }

  /**
   * The worker with the fewest jobs; null where all have enough.
   * @param grows whether another worker may be started. The first one may always be.
   */
  #leastBusy(grows: boolean): Worker | null {
    let best: Worker | null = null;
    for (const worker of this.#workers) if (best === null || worker.jobs.size < best.jobs.size) best = worker;
    const wanted = best === null || (grows && best.jobs.size > 0);
    if (wanted && this.#workers.size < this.size) return this.#startWorker();
    return best !== null && best.jobs.size < QUEUED ? best : null;
  }

  /** The running worker with the fewest jobs. Memory that moves to a worker that fails to start would be lost. */
  #leastBusyReady(): Worker | null {
    const free = [...this.#workers].filter(({ ready, jobs }) => ready && jobs.size < QUEUED);
    return free.length === 0
      ? null
      : free.reduce((best, worker) => (worker.jobs.size < best.jobs.size ? worker : best));
  }

  #hand(worker: Worker, job: Job): void {
    const task = this.#tasks.get(job.task);
    if (task === undefined) {
      job.reject(new TypeError("the task is over"));
      return;
    }
    worker.thread.busy();
    worker.jobs.set(job.id, job);
    if (task !== null && !worker.tasks.has(job.task)) {
      worker.tasks.add(job.task);
      worker.thread.post(task, []);
    }
    try {
      worker.thread.post(job.request, job.transfer);
    } catch (error) {
      // The request cannot be sent if the caller has moved its memory elsewhere.
      worker.jobs.delete(job.id);
      if (worker.jobs.size === 0) worker.thread.idle();
      job.reject(error);
    }
  }

  #startWorker(): Worker | null {
    // Events come later, when `worker` is assigned.
    let worker: Worker | null = null;
    try {
      const thread = this.#threads.start({
        reply: (reply: Reply) => worker !== null && this.#reply(worker, reply),
        failure: (reason) => worker !== null && this.#failed(worker, reason),
      });
      worker = { thread, jobs: new Map(), tasks: new Set(), ready: false };
    } catch (error) {
      this.#stay(error instanceof Error ? error.message : String(error));
      return null;
    }
    worker.thread.idle();
    this.#workers.add(worker);
    return worker;
  }

  #reply(worker: Worker, reply: Reply): void {
    if (reply.kind === "ready") {
      worker.ready = true;
      this.#deal();
      return;
    }
    const job = worker.jobs.get(reply.job);
    if (job === undefined) return;
    worker.jobs.delete(reply.job);
    if (worker.jobs.size === 0) worker.thread.idle();
    if (reply.kind === "failed") job.reject(fromPlainError(reply.error));
    else job.resolve(reply);
    this.#deal();
  }

  #failed(worker: Worker, reason: string): void {
    if (!this.#workers.delete(worker)) return;
    worker.thread.stop();
    const jobs = [...worker.jobs.values()];
    if (worker.ready) {
      for (const { reject } of jobs) reject(new UnsupportedError(`a worker stopped: ${reason}`));
    } else {
      this.#stay(reason);
      for (const { reject } of jobs) reject(new WorkersUnavailable(reason));
    }
    this.#deal();
  }

  /** Leaves all jobs to the thread that has them, from now on. */
  #stay(reason: string): void {
    if (this.#broken === null) this.#threads.unavailable?.(reason);
    this.#broken = reason;
  }
}

/** No worker can run here: workers are forbidden, or the worker's file is missing. The job can run inline. */
export class WorkersUnavailable extends Error {
  override readonly name = "WorkersUnavailable";
}

/** The pool of all workers of a kind, made on the first request. */
const pools = new WeakMap<Threads, WorkerPool>();

/** The pool of this process or page; null where there are no workers. */
export function workerPool(): WorkerPool | null {
  const { threads } = platform;
  if (threads === null) return null;
  const pool = pools.get(threads) ?? new WorkerPool(threads);
  pools.set(threads, pool);
  return pool.broken === null ? pool : null;
}
