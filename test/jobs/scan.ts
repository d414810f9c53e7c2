/** The batches of a plan, as a table gives them. */

import type { TablePlan } from "../../src/jobs/plan/plan.js";
import type { Batch } from "../../src/jobs/rows/task.js";
import { checkJobRows, DEFAULT_BATCH_BYTES } from "../../src/jobs/run/runner.js";
import { runTaskJobs } from "../../src/jobs/workers/parts.js";

export interface ScanOptions {
  readonly rows?: readonly [start: number, end: number];
  readonly fields?: readonly number[];
  readonly batchBytes?: number;
  readonly signal?: AbortSignal;
}

export async function* scan(plan: TablePlan, options: ScanOptions): AsyncGenerator<Batch> {
  const { batchBytes = DEFAULT_BATCH_BYTES, signal } = options;
  const task = {
    rows: plan.plan,
    fields: plan.fields,
    selected: options.fields ?? plan.fields.map((_, i) => i),
    text: plan.text,
    request: { kind: "batches", batchBytes },
  } as const;
  for await (const part of runTaskJobs(task, checkJobRows(plan, options.rows), signal ? { signal } : {})) {
    if (part.kind !== "batches") throw new TypeError("batches were asked for");
    yield* part.batches;
  }
}
