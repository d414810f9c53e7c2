import type { ReadOptions } from "../../../sources/source.js";
import type { Json } from "./json.js";
import type { ArrayMetadata, GroupMetadata } from "./metadata.js";

/** A node's metadata. */
export type ZarrNode =
  | { readonly kind: "array"; readonly metadata: ArrayMetadata }
  | { readonly kind: "group"; readonly metadata: GroupMetadata };

/** Finds the nodes of a store: one implementation for each generation of the format. */
export interface Hierarchy {
  /** The node at `path`; undefined where there is none. */
  node(path: string, options?: ReadOptions): Promise<ZarrNode | undefined>;
  /** Names of the nodes directly below the group at `path`, in any order; null where the store cannot be listed. */
  children(path: string, options?: ReadOptions): Promise<string[] | null>;
}

/** Documents of a consolidated store by their key: `obs/.zarray` (v2) or the path of the node (v3). */
export type Consolidated = ReadonlyMap<string, Json>;

/** Names directly below `path` among these paths of nodes. */
export function childrenOf(path: string, paths: Iterable<string>): string[] {
  const prefix = path === "" ? "" : `${path}/`;
  const names = new Set<string>();
  for (const other of paths) {
    if (other.length > prefix.length && other.startsWith(prefix))
      names.add(other.slice(prefix.length).split("/", 1)[0]);
  }
  return [...names];
}

/** `path` and `name`, or whichever is not empty. */
export function join(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}
