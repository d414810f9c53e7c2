/** What every reader is: from the root of a container to the plans of its tables. */

import type { TextFallback } from "../arrow/text.js";
import type { Container, Group, Node } from "../containers/tree/container.js";
import { Visits } from "../containers/tree/visits.js";
import type { TablePlan } from "../jobs/plan/plan.js";
import { type AnnarrowError, InvalidDataError, isAnnarrowError, UnsupportedError } from "../model/errors.js";
import type { ReadOptions } from "../sources/source.js";
import { ConcurrencyLimit } from "./concurrency.js";

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
    ...{ container, text, visits, concurrency: new ConcurrencyLimit() },
    ...(follow === undefined ? {} : { follow }),
    options: signal === undefined ? {} : { signal },
    warn: (message) => warnings.push(message),
  });
  return { ...plans, warnings };
}

export interface ReaderContext {
  readonly container: Container;
  readonly text: TextFallback;
  readonly options: ReadOptions;
  readonly concurrency: ConcurrencyLimit;
  /** Counts what is looked at. */
  readonly visits: Visits;
  /** Collects what a user should know though nothing is wrong with the values. */
  readonly warn: (message: string) => void;
  readonly follow?: Follow;
  /** The ids of the groups of one element that hold what is read, outermost first; none outside of such an element. */
  readonly ancestors?: readonly string[];
}

/** Opens what a path in the file leads to, where that is allowed; it stays open until the dataset is closed. */
export type Follow = (path: string) => Promise<Container>;

/** Deeper than any real element. */
const MAX_DEPTH = 32;

/**
 * The context for what a group holds that is one element with it.
 * @throws {InvalidDataError} where the group holds itself.
 * @throws {UnsupportedError} where it is nested too deep.
 */
export function enterGroup<C extends ReaderContext>(group: Group, cx: C): C {
  const { ancestors = [] } = cx;
  if (ancestors.includes(group.id)) throw new InvalidDataError("it contains itself", { element: group.path });
  if (ancestors.length >= MAX_DEPTH) {
    throw new UnsupportedError(`nested more than ${MAX_DEPTH} deep`, { element: group.path });
  }
  return { ...cx, ancestors: [...ancestors, group.id] };
}

/** null where the element cannot be read: that is noted where the element itself is opened. */
export async function orNull<T>(action: Promise<T>): Promise<T | null> {
  try {
    return await action;
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}

/** A child of a group. */
export function openChild(group: Group, name: string, cx: ReaderContext): Promise<Node> {
  return cx.concurrency.run(() => group.open(name, cx.options));
}

/** The names of a group's children. */
export function childNames(group: Group, cx: ReaderContext): Promise<readonly string[]> {
  return cx.concurrency.run(() => group.keys(cx.options));
}

/** A child by its path below `group`: names with `/` were written as nested groups before anndata 0.13. */
export async function openPath(group: Group, path: string, cx: ReaderContext): Promise<Node> {
  let node: Node = group;
  for (const name of path.split("/")) {
    if (node.kind !== "group") break;
    node = await openChild(node, name, cx);
  }
  return node;
}

export interface RootLayout {
  /** Mappings of elements that its writers write also where they are empty. */
  readonly mappings: readonly string[];
  /** Keys of the root that hold something else. */
  readonly others: ReadonlySet<string>;
  /** Whether a file without obs or var lacks something. */
  readonly needsFrames: boolean;
  /** Whether old files keep the graphs of obsp in `uns/neighbors`. */
  readonly movesGraphs: boolean;
}

/** Reads the elements below a group; an AnnData where no other layout is given. */
export type ReadRoot = (root: Group, cx: ReaderContext, layout?: RootLayout) => Promise<DatasetPlans>;
