import { isAnnarrowError } from "../../../model/errors.js";
import type { KeyValueTarget } from "../../../targets/target.js";
import { join } from "../metadata/hierarchy.js";
import type { ChunkBuffers } from "./chunk-memory.js";
import type { ZarrCompression } from "./compression.js";
import type { WriteQueue } from "./write-queue.js";
import type { Dialect } from "./zarr-type.js";

/** A node of the store with its documents: in v2 `.zarray` or `.zgroup` and `.zattrs`, in v3 `zarr.json`. */
export interface StoreNode {
  readonly path: string;
  /** null while an array is open. */
  documents(): ReadonlyMap<string, string> | null;
}

/** What all nodes of a store under construction share. */
export interface Store {
  readonly target: KeyValueTarget;
  readonly dialect: Dialect;
  readonly compression: ZarrCompression;
  readonly sharding: boolean;
  readonly queue: WriteQueue;
  readonly memory: ChunkBuffers;
  /** In the order in which they were made. */
  readonly nodes: StoreNode[];
  /** Arrays that are open. */
  open: number;
  isClosed: boolean;
}

/** Runs `action`; an error of ours gets the store's name and the path of the element. */
export async function inStore<T>(store: Store, path: string, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw isAnnarrowError(error) ? error.locate({ source: store.target.name, element: path }) : error;
  }
}

/** Stores the documents of a node. */
export async function setDocuments(
  { target }: Store,
  path: string,
  documents: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [name, text] of documents) await target.set(join(path, name), new TextEncoder().encode(text));
}
