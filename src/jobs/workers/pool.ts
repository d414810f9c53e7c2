/**
 * The shared pool of workers. When workers are first needed, one is started per core. They stay alive for the next
 * task.
 */

import { platform } from "#platform";
import type { ArrayPlan } from "../../containers/tree/container.js";
import { UnsupportedError } from "../../model/errors.js";
import type { EncodedRowGroup } from "../../parquet/write/row-group.js";
import type { Thread, Threads } from "../../platform/platform.js";
import type { JobResult, JobRows, Task } from "../rows/task.js";
import { fromSerializableError, type RawChunk, type Reply, type WorkerRequest } from "./messages.js";
import type { EncoderPlan, PackedRows } from "./packed-rows.js";

/** Number of jobs that a worker has at once: the current and the next job. */
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

/** The result of a job, and the result's memory, which may go back to the worker with a later job. */
export interface JobReturn {
  readonly result: JobResult;
  readonly memory: readonly ArrayBuffer[];
}

/** A row group, and the memory in which its rows were sent. */
export interface Encoded {
  readonly group: EncodedRowGroup;
  readonly memory: ArrayBuffer;
}

/** Encoded chunks, and the memory in which they were sent. */
export type EncodedChunks = Extract<Reply, { kind: "encoded-chunks" }>;

interface Worker {
  readonly thread: Thread;
  readonly jobs: Map<number, Job>;
  readonly tasks: Set<number>;
  ready: boolean;
}

export class WorkerPool {
  readonly #threads: Threads;
  readonly #workers = new Set<Worker>();
  /** The request that sends a task to a worker; null for tasks without such a request. */
  readonly #tasks = new Map<number, TaskRequest | null>();
  #waiting: Job[] = [];
  #next = 0;
  #broken: string | null = null;
  #size: number;

  constructor(threads: Threads) {
    this.#threads = threads;
    this.#size = threads.count;
  }

  /** Maximum number of workers. */
  get size(): number {
    return this.#size;
  }

  /** Limits the number of workers, for when saving memory is more important than saving time. */
  limit(count: number): void {
    this.#size = Math.min(count, this.#threads.count);
  }

  /** The reason why workers could not be started; jobs then run inline. Null unless a start has failed. */
  get broken(): string | null {
    return this.#broken;
  }

  /** Whether a worker is running, or no worker can ever start. */
  get ready(): boolean {
    return this.#broken !== null || [...this.#workers].some(({ ready }) => ready);
  }

  /** Starts `count` workers, by default all, before their tasks are known. */
  start(count = this.size): void {
    while (this.#broken === null && this.#workers.size < count) this.#startWorker();
  }

  /** Starts a task. Its jobs can be run until `end`. */
  begin(plan: Task<ArrayPlan>): number {
    const task = this.#next++;
    this.#tasks.set(task, { kind: "task", task, plan });
    return task;
  }

  /** Starts a task whose rows are passed job by job, until `end`. */
  beginEncoder(plan: EncoderPlan): number {
    const task = this.#next++;
    this.#tasks.set(task, { kind: "encoder", task, plan });
    return task;
  }

  /** Starts a task that encodes chunks, until `end`. */
  beginChunks(): number {
    const task = this.#next++;
    this.#tasks.set(task, null);
    return task;
  }

  /**
   * Runs a job of a task. Jobs begin in the order of the calls.
   * @param memory memory of an earlier result of the task that is no longer read; it moves to the worker.
   * @throws {WorkersUnavailable} if no worker could be started. In this case nothing was done.
   */
  async run(task: number, rows: JobRows, memory: readonly ArrayBuffer[] = []): Promise<JobReturn> {
    const job = this.#next++;
    const reply = await this.#ask({ kind: "job", task, job, rows, memory }, [...memory]);
    if (reply.kind !== "result") throw new TypeError(`a worker sent ${reply.kind} for a job`);
    return reply;
  }

  /**
   * Encodes a row group in workers that were started before. The group's memory moves away and comes back. Throws the
   * same errors as `run`.
   */
  async encode(task: number, { slices, memory }: PackedRows): Promise<Encoded> {
    const job = this.#next++;
    const reply = await this.#ask({ kind: "encode", task, job, slices, memory }, [memory]);
    if (reply.kind !== "encoded") throw new TypeError(`a worker sent ${reply.kind} for a row group`);
    return reply;
  }

  /**
   * Encodes chunks in workers that are already running. The memory of the chunks moves away and comes back.
   * @throws {WorkersUnavailable} if no worker is left. In this case nothing was moved.
   */
  async encodeChunks(task: number, chunks: readonly RawChunk[]): Promise<EncodedChunks> {
    const job = this.#next++;
    const memory = chunks.map(({ bytes }) => bytes.buffer);
    const reply = await this.#ask({ kind: "encode-chunks", task, job, chunks }, memory);
    if (reply.kind !== "encoded-chunks") throw new TypeError(`a worker sent ${reply.kind} for chunks`);
    return reply;
  }

  /** Drops the task's pending jobs, and lets the workers close its files. */
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
   * Returns the worker with the fewest jobs; null if all workers have enough jobs.
   * @param grows true if another worker may be started. The first worker may always be started.
   */
  #leastBusy(grows: boolean): Worker | null {
    let best: Worker | null = null;
    for (const worker of this.#workers) if (best === null || worker.jobs.size < best.jobs.size) best = worker;
    const wanted = best === null || (grows && best.jobs.size > 0);
    if (wanted && this.#workers.size < this.size) return this.#startWorker();
    return best !== null && best.jobs.size < QUEUED ? best : null;
  }

  /** Returns the running worker with the fewest jobs. Memory sent to a worker that fails to start would be lost. */
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
      // Sending fails if the caller has moved the request's memory elsewhere.
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
    if (reply.kind === "failed") job.reject(fromSerializableError(reply.error));
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

  /** From now on, makes every job run in the thread that requests it. */
  #stay(reason: string): void {
    if (this.#broken === null) this.#threads.unavailable?.(reason);
    this.#broken = reason;
  }
}

/** No worker can run here, because workers are forbidden or the worker's file is missing. The job can run inline. */
export class WorkersUnavailable extends Error {
  override readonly name = "WorkersUnavailable";
}

/** The worker pool of each kind of thread, created on the first request. */
const pools = new WeakMap<Threads, WorkerPool>();

/** Returns the pool of this process or page; null if workers are unavailable. */
export function getWorkerPool(): WorkerPool | null {
  const { threads } = platform;
  if (threads === null) return null;
  const pool = pools.get(threads) ?? new WorkerPool(threads);
  pools.set(threads, pool);
  return pool.broken === null ? pool : null;
}
