/** What the reading of every element needs to know. */

import type { TextFallback } from "../arrow/text.js";
import type { Container, Group, Node } from "../containers/container.js";
import { isAnnarrowError } from "../errors.js";
import type { ReadOptions } from "../sources/source.js";
import type { Turns } from "./in-order.js";

export interface Context {
  readonly container: Container;
  readonly text: TextFallback;
  readonly options: ReadOptions;
  readonly turns: Turns;
  /** Collects what a user should know though nothing is wrong with the values. */
  readonly warn: (message: string) => void;
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
export function openChild(group: Group, name: string, cx: Context): Promise<Node> {
  return cx.turns.take(() => group.open(name, cx.options));
}

/** The names of a group's children. */
export function childNames(group: Group, cx: Context): Promise<readonly string[]> {
  return cx.turns.take(() => group.keys(cx.options));
}

/** A child by its path below `group`: names with `/` were written as nested groups before anndata 0.13. */
export async function openPath(group: Group, path: string, cx: Context): Promise<Node> {
  let node: Node = group;
  for (const name of path.split("/")) {
    if (node.kind !== "group") break;
    node = await openChild(node, name, cx);
  }
  return node;
}
