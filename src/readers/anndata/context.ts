/** What the reading of every element needs to know. */

import type { TextFallback } from "../../arrow/text.js";
import type { Container, Group, Node } from "../../containers/container.js";
import { isAnnarrowError } from "../../errors.js";
import type { ReadOptions } from "../../sources/source.js";

export interface Context {
  readonly container: Container;
  readonly text: TextFallback;
  readonly options: ReadOptions;
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

/** A child by its path below `group`: names with `/` were written as nested groups before anndata 0.13. */
export async function openPath(group: Group, path: string, options: ReadOptions): Promise<Node> {
  let node: Node = group;
  for (const name of path.split("/")) {
    if (node.kind !== "group") break;
    node = await node.open(name, options);
  }
  return node;
}
