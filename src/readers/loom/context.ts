/** What the reading of every element of a Loom file needs to know. */

import type { Node } from "../../containers/tree/container.js";
import type { ReaderContext } from "../context.js";

export interface LoomContext extends ReaderContext {
  /** Whether fixed ASCII text holds XML character references: in files before 3.0.0, or without a version. */
  readonly escaped: boolean;
}

/** The time stamp that loompy puts on every node that it changes. */
export function lastModified({ attributes }: Pick<Node, "attributes">): { readonly last_modified?: string } {
  const value = attributes.get("last_modified");
  const text = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof text === "string" ? { last_modified: text } : {};
}
