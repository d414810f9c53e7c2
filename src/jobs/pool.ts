/** The one pool of workers: started when first needed, as many as cores, kept for the next task. */

import type { ArrayPlan } from "../containers/array-plan.js";
import { UnsupportedError } from "../errors.js";
import type { Reply } from "./messages.js";
import { fromPlainError } from "./plain-error.js";
import type { Part } from "./product.js";
import type { JobRows, Task } from "./task.js";
import { availableThreads, type Thread, type Threads } from "./thread.js";

/** Jobs that a worker has at once: one that runs, and one that it can go on with at once. */
const QUEUED = 2;

interface Job {
  readonly id: number;
  readonly task: number;
  readonly rows: JobRows;
  readonly resolve: (part: Part) => void;
  readonly reject: (error: unknown) => void;
}

interface Worker {
  readonly thread: Thread;
  readonly jobs: Map<number, Job>;
  /** Tasks that it was told of. */
  readonly tasks: Set<number>;
  ready: boolean;
}

export class WorkerPool {
  readonly #threads: Threads;
  readonly #workers = new Set<Worker>();
  readonly #tasks = new Map<number, Task<ArrayPlan>>();
  #waiting: Job[] = [];
  #next = 0;
  #broken: string | null = null;

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  get size(): number {
    return this.#threads.count;
  }

  /** Why no worker can be started here, if that turned out so: then jobs run inline. */
  get broken(): string | null {
    return this.#broken;
  }

  /** Starts all workers; what they are for can follow. */
  start(): void {
    while (this.#broken === null && this.#workers.size < this.size) this.#startWorker();
  }

  /** A task whose jobs can be run until `end`. */
  begin(task: Task<ArrayPlan>): number {
    const id = this.#next++;
    this.#tasks.set(id, task);
    return id;
  }

  /**
   * Runs a job of a task. Jobs begin in the order in which they were asked for.
   * @throws {WorkersUnavailable} where no worker could be started: nothing was done.
   */
  run(task: number, rows: JobRows): Promise<Part> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id: this.#next++, task, rows, resolve, reject });
      this.#deal();
    });
  }

  /** Drops the task's jobs that wait, and lets the workers close its files. */
  end(task: number): void {
    this.#tasks.delete(task);
    this.#waiting = this.#waiting.filter((job) => job.task !== task);
    for (const worker of this.#workers) {
      if (worker.tasks.delete(task)) worker.thread.post({ kind: "forget", task });
      // Replies to what is dropped need no receiver; those still on their way are ignored.
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

  #deal(): void {
    while (this.#waiting.length > 0) {
      if (this.#broken !== null) {
        const reason = this.#broken;
        for (const { reject } of this.#waiting.splice(0)) reject(new WorkersUnavailable(reason));
        return;
      }
      const worker = this.#leastBusy();
      if (worker === null) return;
      const job = this.#waiting.shift();
      if (job !== undefined) this.#hand(worker, job);
    }
  }

  #leastBusy(): Worker | null {
    let best: Worker | null = null;
    for (const worker of this.#workers) if (best === null || worker.jobs.size < best.jobs.size) best = worker;
    if ((best === null || best.jobs.size > 0) && this.#workers.size < this.size) return this.#startWorker();
    return best !== null && best.jobs.size < QUEUED ? best : null;
  }

  #hand(worker: Worker, job: Job): void {
    const plan = this.#tasks.get(job.task);
    if (plan === undefined) {
      job.reject(new TypeError("the task is over"));
      return;
    }
    worker.thread.busy();
    worker.jobs.set(job.id, job);
    if (!worker.tasks.has(job.task)) {
      worker.tasks.add(job.task);
      worker.thread.post({ kind: "task", task: job.task, plan });
    }
    worker.thread.post({ kind: "job", task: job.task, job: job.id, rows: job.rows });
  }

  #startWorker(): Worker | null {
    // Assigned before any event: those come later.
    let worker: Worker | null = null;
    try {
      const thread = this.#threads.start({
        reply: (reply) => worker !== null && this.#reply(worker, reply),
        failure: (reason) => worker !== null && this.#failed(worker, reason),
      });
      worker = { thread, jobs: new Map(), tasks: new Set(), ready: false };
    } catch (error) {
      this.#broken = error instanceof Error ? error.message : String(error);
      return null;
    }
    worker.thread.idle();
    this.#workers.add(worker);
    return worker;
  }

  #reply(worker: Worker, reply: Reply): void {
    if (reply.kind === "ready") {
      worker.ready = true;
      return;
    }
    const job = worker.jobs.get(reply.job);
    if (job === undefined) return;
    worker.jobs.delete(reply.job);
    if (worker.jobs.size === 0) worker.thread.idle();
    if (reply.kind === "part") job.resolve(reply.part);
    else job.reject(fromPlainError(reply.error));
    this.#deal();
  }

  #failed(worker: Worker, reason: string): void {
    if (!this.#workers.delete(worker)) return;
    worker.thread.stop();
    const jobs = [...worker.jobs.values()];
    if (worker.ready) {
      for (const { reject } of jobs) reject(new UnsupportedError(`a worker stopped: ${reason}`));
    } else {
      this.#broken = reason;
      for (const { reject } of jobs) reject(new WorkersUnavailable(reason));
    }
    this.#deal();
  }
}

/** No worker can run here: forbidden, or its file is not where it should be. The job can run inline. */
export class WorkersUnavailable extends Error {
  override readonly name = "WorkersUnavailable";
}

let shared: { readonly pool: WorkerPool; readonly threads: Threads } | undefined;

/** The pool of this process or page; null where there are no workers. */
export function workerPool(): WorkerPool | null {
  const threads = availableThreads();
  if (threads === null) return null;
  if (shared?.threads !== threads) {
    shared?.pool.stop();
    shared = { pool: new WorkerPool(threads), threads };
  }
  return shared.pool.broken === null ? shared.pool : null;
}
