/** A task's parts in order: by workers where that pays, inline else. The parts are the same either way. */

import type { Column } from "../../arrow/column.js";
import type { ArrayPlan, StoredArray } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../sources/source.js";
import { fragmentDictionaries } from "../fragments/scan.js";
import { arraysOf, mapArrays, type RowsPlan } from "../plan/plan.js";
import type { JobResult, JobRows, ResultRequest, Task } from "../rows/task.js";
import { cutJobs } from "../run/cut.js";
import { type PartsOptions, TaskRunner } from "../run/runner.js";
import { isDecodedInline, scanInline, scanRows } from "../run/scan.js";
import { unlessAborted } from "./concurrent-map.js";
import { type JobReturn, type WorkerPool, WorkersUnavailable, workerPool } from "./pool.js";
import { withDictionaries } from "./transfer.js";

/** Less than this is read before a worker has begun. */
const MIN_BYTES = 2 ** 24;

/** Jobs for each worker whose parts may wait for the consumer: batches are larger than row groups. */
const AHEAD: Readonly<Record<ResultRequest["kind"], number>> = { batches: 2, sums: 4, "row-groups": 4, ipc: 2 };

/** Of a job, as a rule. */
const MESSAGES = 2;

/**
 * The parts of rows [start, end), always at least one batch where batches are wanted.
 * @throws the error of the first job that failed; what was cut off by `signal` throws its reason.
 */
export async function* partsOf(task: Task, rows: JobRows, options: PartsOptions = {}): AsyncGenerator<JobResult> {
  const { product } = task;
  if (product.kind === "batches" && isDecodedInline(task.rows, product.reuse)) {
    for await (const batch of scanInline(task, rows, product, options)) {
      yield { kind: "batches", batches: [batch] };
      options.signal?.throwIfAborted();
    }
    return;
  }
  const runner = new TaskRunner(task, options);
  const cut = await cutJobs(task, rows, runner.state);
  if (cut?.parallel && cut.bytes >= MIN_BYTES) {
    const pool = workerPool();
    const plan = pool === null || pool.size < 2 ? null : detached(task);
    if (pool !== null && plan !== null) return yield* pooled(pool, plan, task, runner, cut.jobs, options);
  }
  if (product.kind === "sums" || (cut === null && product.kind === "row-groups")) return yield await runner.run(rows);
  if (cut === null || product.kind === "batches") return yield* whole(task, runner, rows, options);
  for await (const job of cut.jobs) {
    options.signal?.throwIfAborted();
    yield* runner.parts(job);
  }
}

/** One scan from the first row to the last: batches may end where chunks do not. */
async function* whole(
  task: Task,
  runner: TaskRunner,
  rows: JobRows,
  { signal }: ReadOptions,
): AsyncGenerator<JobResult> {
  const { product } = task;
  if (product.kind !== "batches" && product.kind !== "ipc") throw new TypeError("these are made job by job");
  const { batchBytes } = product;
  const [start, end] = rows;
  const run = { start, end, fields: task.selected, batchBytes, state: runner.state };
  for await (const batch of scanRows(task.rows, task.fields, run)) {
    if (product.kind === "ipc") yield { kind: "ipc", messages: [await runner.message(batch)] };
    else yield { kind: "batches", batches: [batch] };
    signal?.throwIfAborted();
  }
}

async function* pooled(
  pool: WorkerPool,
  plan: Task<ArrayPlan>,
  task: Task,
  runner: TaskRunner,
  jobs: AsyncIterable<JobRows>,
  { signal, memory }: PartsOptions,
): AsyncGenerator<JobResult> {
  const id = pool.begin(plan);
  const { product } = task;
  const window = pool.size * AHEAD[product.kind];
  const parts: Promise<JobReturn>[] = [];
  // Each job takes what came with one part that the consumer is done with: there is never more than the window holds.
  let spent: readonly ArrayBuffer[] = [];
  // One at a time: an encoder holds the memory of one row group.
  let last: Promise<unknown> = Promise.resolve();
  const inline = (job: JobRows, error: unknown): Promise<JobReturn> => {
    if (!(error instanceof WorkersUnavailable)) throw error;
    const part = last.then(async () => ({ part: await runner.run(job), memory: [] }));
    last = part.catch(() => undefined);
    return part;
  };
  const rest = jobs[Symbol.asyncIterator]();
  try {
    const dictionaries = await dictionariesOf(task, runner);
    for (let more = true; ; ) {
      while (more && parts.length < window) {
        const next = await rest.next();
        more = next.done !== true;
        if (next.done) break;
        const spare = product.kind === "ipc" ? (memory?.spare(product.batchBytes, MESSAGES) ?? []) : spent;
        const part = pool.run(id, next.value, spare).catch((error: unknown) => inline(next.value, error));
        // Its error is thrown when its turn comes, or never.
        part.catch(() => undefined);
        parts.push(part);
        spent = [];
      }
      const next = parts.shift();
      if (next === undefined) return;
      const { part, memory: came } = await unlessAborted(next, signal);
      yield withDictionaries(part, dictionaries);
      // What the consumer itself moved away is gone.
      spent = came.filter(({ byteLength }) => byteLength > 0);
    }
  } finally {
    pool.end(id);
  }
}

/** The dictionaries of the batches' columns, read here: all batches share them. */
function dictionariesOf({ rows, selected, product }: Task, runner: TaskRunner): Promise<(Column | null)[]> {
  if (product.kind !== "batches") return Promise.resolve([]);
  if (rows.kind === "fragments") return fragmentDictionaries(rows, selected, runner.state);
  if (rows.kind !== "columns") return Promise.resolve([]);
  return Promise.all(
    selected.map((i) => {
      const column = rows.columns[i];
      return column.kind === "categorical" ? runner.state.dictionary(column) : null;
    }),
  );
}

/** The task as plain data; null where a worker could not open one of its arrays. */
function detached(task: Task): Task<ArrayPlan> | null {
  const wanted = selectedRows(task);
  const plans = new Map<StoredArray, ArrayPlan>();
  for (const array of arraysOf(wanted.rows)) {
    if (array.plan === undefined) return null;
    plans.set(array, array.plan);
  }
  const rows = mapArrays(wanted.rows, (array): ArrayPlan => {
    const plan = plans.get(array);
    if (plan === undefined) throw new TypeError("every array of the plan has one");
    return plan;
  });
  return { ...wanted, rows };
}

/** The task without the columns that nobody asked for. */
function selectedRows(task: Task): Task {
  const { rows, selected, fields, unwritten } = task;
  if (rows.kind !== "columns") return task;
  const columns: RowsPlan = { kind: "columns", columns: selected.map((i) => rows.columns[i]) };
  const chosen = {
    ...task,
    rows: columns,
    fields: selected.map((i) => fields[i]),
    selected: selected.map((_, i) => i),
  };
  if (unwritten === undefined) return chosen;
  const counted = selected.flatMap((place, i) => (unwritten.fields.includes(place) ? [i] : []));
  return { ...chosen, unwritten: { ...unwritten, fields: counted } };
}
