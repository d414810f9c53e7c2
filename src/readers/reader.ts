/** What every reader is: from the root of a container to the plans of its tables. */

import type { Container, Group } from "../containers/tree/container.js";
import { Visits } from "../containers/tree/visits.js";
import type { TablePlan } from "../jobs/plan/plan.js";
import type { AnnarrowError } from "../model/errors.js";
import type { ReadOptions } from "../sources/source.js";
import type { Follow, ReaderContext } from "./context.js";
import { ConcurrencyLimit } from "./in-order.js";

/** The structure of a dataset, without values. */
export interface DatasetPlans {
  readonly version: string;
  readonly shape: readonly [number, number] | null;
  readonly tables: readonly TablePlan[];
  readonly failures: ReadonlyMap<string, AnnarrowError>;
}

export type ReadPlans = (root: Group, cx: ReaderContext) => Promise<DatasetPlans>;

export interface ReaderOptions extends ReadOptions {
  /** What to do with text that is not UTF-8. */
  readonly text: "error" | "latin1";
  readonly follow?: Follow;
  /** Counts the objects that are looked at. */
  readonly visits?: Visits;
}

/** Reads with a context of its own; the warnings of the reader come with its plans. */
export async function readPlans(
  read: ReadPlans,
  container: Container,
  root: Group,
  { text, follow, visits = new Visits(), signal }: ReaderOptions,
): Promise<DatasetPlans & { readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const plans = await read(root, {
    ...{ container, text, visits, turns: new ConcurrencyLimit() },
    ...(follow === undefined ? {} : { follow }),
    options: signal === undefined ? {} : { signal },
    warn: (message) => warnings.push(message),
  });
  return { ...plans, warnings };
}
