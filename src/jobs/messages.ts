/** What goes between the pool and its workers, in order. */

import type { ArrayPlan } from "../containers/array-plan.js";
import type { Part } from "./product.js";
import type { JobRows, Task } from "./task.js";

export type Request =
  | { readonly kind: "task"; readonly task: number; readonly plan: Task<ArrayPlan> }
  | { readonly kind: "job"; readonly task: number; readonly job: number; readonly rows: JobRows }
  /** The task is over: its files are closed, its jobs still waiting are dropped. */
  | { readonly kind: "forget"; readonly task: number };

export type Reply =
  /** The worker runs; what it is asked may come before. */
  | { readonly kind: "ready" }
  | { readonly kind: "part"; readonly job: number; readonly part: Part }
  | { readonly kind: "failed"; readonly job: number; readonly error: PlainError };

/** An error as plain data: its class does not survive the way between threads. */
export interface PlainError {
  readonly tag: string | null;
  readonly problem: string;
  readonly source: string | undefined;
  readonly element: string | undefined;
  readonly stack: string | undefined;
}
