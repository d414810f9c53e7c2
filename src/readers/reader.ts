/** Defines the interface of readers: a reader turns the root of a container into the plans of its tables. */

import type { TextFallback } from "../arrow/text.js";
import type { Container, Group, Node } from "../containers/tree/container.js";
import { WalkLimit } from "../containers/tree/walk-limit.js";
import type { ReadOptions } from "../io/sources/source.js";
import type { TablePlan } from "../jobs/plan/plan.js";
import { type AnnarrowError, InvalidDataError, isAnnarrowError, UnsupportedError } from "../model/errors.js";
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
  /** Whether text that is not UTF-8 is an error or read as Latin-1. */
  readonly text: "error" | "latin1";
  readonly follow?: Follow;
  /** Counts the objects that the reader opens. */
  readonly walkLimit?: WalkLimit;
  readonly plain?: GenericOptions;
}

/** How generic HDF5 and Zarr files are read. */
export interface GenericOptions {
  /** Whether values are decoded by the CF conventions. */
  readonly cf?: boolean;
  /** Paths of groups whose arrays are the columns of one table. */
  readonly frame?: readonly string[];
  /**
   * Whether the options apply to a folder. Its files in other formats are then read as usual. By default, a file in
   * another format is an error.
   */
  readonly ofFolder?: boolean;
}

/** Runs a reader with a fresh context; returns its plans with its warnings. */
export async function readPlans(
  read: ReadPlans,
  container: Container,
  root: Group,
  { text, follow, walkLimit = new WalkLimit(), plain, signal }: ReaderOptions,
): Promise<DatasetPlans & { readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const plans = await read(root, {
    ...{ container, text, walkLimit, concurrency: new ConcurrencyLimit() },
    follow,
    plain,
    options: { signal },
    warn: (message) => warnings.push(message),
  });
  return { ...plans, warnings };
}

export interface ReaderContext {
  readonly container: Container;
  readonly text: TextFallback;
  readonly options: ReadOptions;
  readonly concurrency: ConcurrencyLimit;
  /** Counts the objects that the reader opens. */
  readonly walkLimit: WalkLimit;
  /** Reports a problem that the user should know, although all values are correct. */
  readonly warn: (message: string) => void;
  readonly follow?: Follow;
  readonly plain?: GenericOptions;
  /** Ids of the groups that contain the current group, outermost first, in an element made of several groups. */
  readonly ancestors?: readonly string[];
}

/**
 * Opens the container at a path that the file refers to, if this is allowed. The container stays open until the dataset
 * is closed.
 */
export type Follow = (path: string) => Promise<Container>;

/** Maximum nesting of groups in an element; real elements are nested less deeply. */
const MAX_DEPTH = 32;

/**
 * Creates the context for the children of a group that belong to the same element.
 * @throws {InvalidDataError} if the group contains itself.
 * @throws {UnsupportedError} if it is nested too deep.
 */
export function enterGroup<C extends ReaderContext>(group: Group, cx: C): C {
  const { ancestors = [] } = cx;
  if (ancestors.includes(group.id)) throw new InvalidDataError("it contains itself", { element: group.path });
  if (ancestors.length >= MAX_DEPTH) {
    throw new UnsupportedError(`nested more than ${MAX_DEPTH} deep`, { element: group.path });
  }
  return { ...cx, ancestors: [...ancestors, group.id] };
}

/** Returns null for an element that cannot be read. Opening the element itself records the failure. */
export async function readOrNull<T>(action: Promise<T>): Promise<T | null> {
  try {
    return await action;
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}

export function openChild(group: Group, name: string, cx: ReaderContext): Promise<Node> {
  return cx.concurrency.run(() => group.open(name, cx.options));
}

export function listChildNames(group: Group, cx: ReaderContext): Promise<readonly string[]> {
  return cx.concurrency.run(() => group.keys(cx.options));
}

/** Opens a descendant by its path. Before anndata 0.13, a name with `/` was written as nested groups. */
export async function openPath(group: Group, path: string, cx: ReaderContext): Promise<Node> {
  let node: Node = group;
  for (const name of path.split("/")) {
    if (node.kind !== "group") break;
    node = await openChild(node, name, cx);
  }
  return node;
}

export interface RootLayout {
  /** Mappings that writers of this layout write even when they are empty. */
  readonly mappings: readonly string[];
  /** Root keys that another reader handles. */
  readonly others: ReadonlySet<string>;
  /** Whether obs and var are required. */
  readonly needsFrames: boolean;
  /** Whether old files store the obsp graphs in `uns/neighbors`. */
  readonly movesGraphs: boolean;
}

/** Reads the elements below a group, by default in the AnnData layout. */
export type ReadRoot = (root: Group, cx: ReaderContext, layout?: RootLayout) => Promise<DatasetPlans>;
