/**
 * Runs the jobs of a task, in workers if that is faster, otherwise inline, and yields their results in order. Results
 * are the same either way.
 */

import type { ArrayPlan, StoredArray } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { withNeededFields } from "../plan/needed-fields.js";
import { listPlanArrays, mapArrays, type RowsPlan } from "../plan/plan.js";
import type { JobResult, JobRows, Task } from "../rows/task.js";
import { cutJobs } from "../run/cut.js";
import { isDecodedInline, type PartsOptions, scanInline, TaskRunner } from "../run/runner.js";
import { scanRows } from "../run/scans.js";

/** Minimum number of bytes for which workers are used. Fewer bytes are read before a worker has started. */
const MIN_BYTES = 2 ** 24;

/**
 * Minimum bytes for using workers if values are stored without filters. A single thread reads such values nearly as
 * fast.
 */
const MIN_PLAIN_BYTES = 2 ** 27;

/**
 * Yields the results for rows [start, end), with at least one batch if batches are requested.
 * @throws the error of the first job that failed, or the signal's reason.
 */
export async function* runTaskJobs(given: Task, rows: JobRows, options: PartsOptions = {}): AsyncGenerator<JobResult> {
  const { request } = given;
  const task = withoutSpareFields(given);
  if (request.kind === "batches" && isDecodedInline(task.rows, request.reuse)) {
    for await (const batch of scanInline(task, rows, request, options)) {
      yield { kind: "batches", batches: [batch] };
      options.signal?.throwIfAborted();
    }
    return;
  }
  const runner = await TaskRunner.create(task, options);
  // The cut is computed for whole records, because all bytes of a record are read.
  const cut = await cutJobs(
    given,
    rows,
    task === given ? runner.state : (await TaskRunner.create(given, options)).state,
  );
  if (cut?.parallel && cut.bytes >= (isPlainFrame(task) ? MIN_PLAIN_BYTES : MIN_BYTES)) {
    const { runPooledJobs, getWorkerPool } = await import("./pooled-parts.js");
    const pool = getWorkerPool();
    const plan = pool === null || pool.size < 2 ? null : detached(task);
    if (pool !== null && plan !== null) {
      return yield* runPooledJobs(pool, { plan, task, runner, jobs: cut.jobs }, options);
    }
  }
  if (request.kind === "sums") return yield await runner.run(rows);
  if (cut === null || request.kind === "batches") return yield* whole(task, runner, rows, options);
  for await (const job of cut.jobs) {
    options.signal?.throwIfAborted();
    yield* runner.parts(job);
  }
}

function withoutSpareFields(task: Task): Task {
  if (task.rows.kind !== "columns") return task;
  const columns = withNeededFields(task.rows.columns, task.selected);
  return columns === task.rows.columns ? task : { ...task, rows: { kind: "columns", columns } };
}

/** Whether the batches contain columns that are stored without filters in a local HDF5 file. */
function isPlainFrame({ rows, selected, request }: Task): boolean {
  if (request.kind !== "batches" || rows.kind !== "columns") return false;
  return listPlanArrays({ kind: "columns", columns: selected.map((i) => rows.columns[i]) }).every(
    ({ chunks, plan }) => chunks === null && plan?.container === "hdf5" && plan.source.kind !== "web",
  );
}

/** Runs one scan from the first to the last row. Batches need not end at chunk boundaries. */
async function* whole(
  task: Task,
  runner: TaskRunner,
  rows: JobRows,
  { signal }: ReadOptions,
): AsyncGenerator<JobResult> {
  const { request } = task;
  if (request.kind !== "batches" && request.kind !== "encoded") throw new TypeError("these are made job by job");
  const { batchBytes } = request;
  const [start, end] = rows;
  const run = { start, end, fields: task.selected, batchBytes, state: runner.state };
  const batches = scanRows(task.rows, task.fields, run);
  if (request.kind === "batches") {
    for await (const batch of batches) {
      yield { kind: "batches", batches: [batch] };
      signal?.throwIfAborted();
    }
    return;
  }
  for await (const encoded of runner.encode(batches, {})) {
    yield { kind: "encoded", encoded: [encoded] };
    signal?.throwIfAborted();
  }
}

/** Returns the task as serializable data; null if a worker cannot open one of its arrays. */
function detached(task: Task): Task<ArrayPlan> | null {
  const wanted = selectedRows(task);
  const plans = new Map<StoredArray, ArrayPlan>();
  for (const array of listPlanArrays(wanted.rows)) {
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

/** Returns the task without the unselected columns. */
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
