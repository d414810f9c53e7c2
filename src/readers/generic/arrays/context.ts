/** The context in which generic HDF5 and Zarr files are read. */

import type { Group, Reference } from "../../../containers/tree/container.js";
import type { ReaderContext } from "../../reader.js";

export interface GenericContext extends ReaderContext {
  readonly root: Group;
  /** Paths of objects to which references point. */
  readonly paths: ReferencedPaths;
}

/** Paths of the visited objects, keyed by their identities. They are complete once the whole tree has been visited. */
export class ReferencedPaths {
  readonly #paths = new Map<string, string>();
  readonly #idOf: ((reference: Reference) => string | null) | undefined;

  constructor(idOf: ((reference: Reference) => string | null) | undefined) {
    this.#idOf = idOf;
  }

  /** Records the path of an object. If several links lead to it, the first path is used. */
  add(id: string, path: string): void {
    if (!this.#paths.has(id)) this.#paths.set(id, path === "" ? ROOT : path);
  }

  /**
   * Returns the path of the object to which a reference points. This is also the name of the object's table. The result
   * is `/` for the root, an empty text for a null reference, and `#` followed by the address for an object without a
   * path.
   */
  of(reference: Reference): string {
    const id = this.#idOf?.(reference) ?? null;
    return id === null ? "" : (this.#paths.get(id) ?? `#${id}`);
  }
}

/** The path of the root, which is also the name of the table of contents. */
export const ROOT = "/";
