/** Runs the jobs of a task in workers. */

import type { Column } from "../../arrow/column.js";
import type { ArrayPlan } from "../../containers/tree/container.js";
import { waitUnlessAborted } from "../../io/sources/event-loop.js";
import { ReleasedMemory } from "../memory/buffer-pool.js";
import { listPlanArrays } from "../plan/plan.js";
import type { JobResult, JobRows, ResultRequest, Task } from "../rows/task.js";
import type { PartsOptions, TaskRunner } from "../run/runner.js";
import { type JobReturn, type WorkerPool, WorkersUnavailable } from "./pool.js";
import { withDictionaries } from "./transfer.js";

export { getWorkerPool } from "./pool.js";

/** Number of jobs per worker that are running or have waiting results; fewer if the results are large. */
const JOBS_PER_WORKER: Readonly<Record<Exclude<ResultRequest["kind"], "encoded">, number>> = {
  batches: 2,
  sums: 4,
  bands: 2,
};

/** Maximum number of encoded batches whose memory is sent with a job. */
const ENCODED_PER_JOB = 2;

export interface PooledTask {
  readonly task: Task;
  /** The task as serializable data, for workers. */
  readonly plan: Task<ArrayPlan>;
  /** Runs jobs in this thread, if no worker can start. */
  readonly runner: TaskRunner;
  readonly jobs: AsyncIterable<JobRows>;
}

/** Yields the results of all jobs in job order. Runs a few jobs ahead of the consumer. */
export async function* runPooledJobs(
  pool: WorkerPool,
  { plan, task, runner, jobs }: PooledTask,
  { signal, memory, returned = new ReleasedMemory() }: PartsOptions,
): AsyncGenerator<JobResult> {
  const id = pool.begin(plan);
  const { request } = task;
  const jobsPerWorker =
    request.kind === "encoded" ? (runner.encoder?.jobsPerWorker ?? 1) : JOBS_PER_WORKER[request.kind];
  const window = pool.size * jobsPerWorker;
  const runs: Promise<JobReturn>[] = [];
  // Inline jobs run one at a time, because an encoder occupies the memory of one row group.
  let last: Promise<unknown> = Promise.resolve();
  const inline = (job: JobRows, error: unknown): Promise<JobReturn> => {
    if (!(error instanceof WorkersUnavailable)) throw error;
    const run = last.then(async () => ({ result: await runner.run(job), memory: [] }));
    last = run.catch(() => undefined);
    return run;
  };
  // While workers start, this thread runs the first job itself, after it has dispatched other jobs.
  let helps = request.kind === "batches" && request.reuse !== true && !pool.ready && isLocalFrame(plan);
  const help = async (job: JobRows): Promise<JobReturn> => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal?.throwIfAborted();
    return { result: await runner.run(job), memory: [] };
  };
  const rest = jobs[Symbol.asyncIterator]();
  try {
    const dictionaries = await dictionariesOf(task, runner);
    for (let more = true; ; ) {
      while (more && runs.length < window) {
        const next = await rest.next();
        more = next.done !== true;
        if (next.done) break;
        const spare =
          request.kind === "encoded" ? (memory?.spare(request.batchBytes, ENCODED_PER_JOB) ?? []) : returned.take();
        const run = helps
          ? help(next.value)
          : pool.run(id, next.value, spare).catch((error: unknown) => inline(next.value, error));
        helps = false;
        // The job's error is thrown when the consumer reaches its result, or never.
        run.catch(() => undefined);
        runs.push(run);
      }
      const next = runs.shift();
      if (next === undefined) return;
      const { result, memory: returnable } = await waitUnlessAborted(next, signal);
      yield withDictionaries(result, dictionaries);
      returned.giveBack(returnable);
    }
  } finally {
    pool.end(id);
  }
}

function isLocalFrame({ rows }: Task<ArrayPlan>): boolean {
  return rows.kind === "columns" && listPlanArrays(rows).every(({ source }) => source.kind !== "web");
}

/** Reads the dictionaries for the batches' columns in this thread, because all batches share them. */
async function dictionariesOf(
  { rows, selected, request }: Task,
  runner: TaskRunner,
): Promise<readonly (Column | null)[]> {
  if (request.kind !== "batches") return [];
  if (rows.kind === "fragments") {
    const { readFragmentDictionaries } = await import("../fragments/scan.js");
    return readFragmentDictionaries(rows, selected, runner.state);
  }
  if (rows.kind !== "columns") return [];
  return Promise.all(
    selected.map(async (i) => {
      const column = rows.columns[i];
      return column.kind === "categorical" ? (await runner.state.categories(column)).dictionary : null;
    }),
  );
}
