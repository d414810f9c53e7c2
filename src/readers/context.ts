/** What the reading of every element needs to know. */

import type { TextFallback } from "../arrow/text.js";
import type { Container, Group, Node } from "../containers/tree/container.js";
import type { Visits } from "../containers/tree/visits.js";
import { InvalidDataError, isAnnarrowError, UnsupportedError } from "../model/errors.js";
import type { ReadOptions } from "../sources/source.js";
import type { ConcurrencyLimit } from "./in-order.js";

export interface ReaderContext {
  readonly container: Container;
  readonly text: TextFallback;
  readonly options: ReadOptions;
  readonly turns: ConcurrencyLimit;
  /** Counts what is looked at. */
  readonly visits: Visits;
  /** Collects what a user should know though nothing is wrong with the values. */
  readonly warn: (message: string) => void;
  readonly follow?: Follow;
  /** The ids of the groups of one element that hold what is read, outermost first; none outside of such an element. */
  readonly within?: readonly string[];
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
export function inside<C extends ReaderContext>(group: Group, cx: C): C {
  const { within = [] } = cx;
  if (within.includes(group.id)) throw new InvalidDataError("it contains itself", { element: group.path });
  if (within.length >= MAX_DEPTH) {
    throw new UnsupportedError(`nested more than ${MAX_DEPTH} deep`, { element: group.path });
  }
  return { ...cx, within: [...within, group.id] };
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
  return cx.turns.take(() => group.open(name, cx.options));
}

/** The names of a group's children. */
export function childNames(group: Group, cx: ReaderContext): Promise<readonly string[]> {
  return cx.turns.take(() => group.keys(cx.options));
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
