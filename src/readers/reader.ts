/** What every reader is: from a container to the plans of its tables. */

import type { Container, Group } from "../containers/tree/container.js";
import type { Visits } from "../containers/tree/visits.js";
import type { TablePlan } from "../jobs/plan/plan.js";
import type { AnnarrowError } from "../model/errors.js";
import type { ReadOptions } from "../sources/source.js";

/** What every reader makes of a container: the structure, no values. */
export interface DatasetPlans {
  readonly version: string;
  readonly shape: readonly [number, number] | null;
  readonly tables: readonly TablePlan[];
  readonly failures: ReadonlyMap<string, AnnarrowError>;
  readonly warnings: readonly string[];
}

export interface ReaderOptions extends ReadOptions {
  /** What to do with text that is not UTF-8. */
  readonly text: "error" | "latin1";
  /** Opens what a path in the file leads to, where that is allowed; it stays open until the dataset is closed. */
  readonly follow?: Follow;
  /** Counts what is looked at. */
  readonly visits?: Visits;
}

export type Follow = (path: string) => Promise<Container>;

export type Reader = (container: Container, root: Group, options: ReaderOptions) => Promise<DatasetPlans>;
