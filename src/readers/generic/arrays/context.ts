/** The context of reading generic HDF5 and Zarr files. */

import type { Group, Reference } from "../../../containers/tree/container.js";
import type { ReaderContext } from "../../reader.js";

export interface GenericContext extends ReaderContext {
  readonly root: Group;
  /** Paths of objects that are targets of references. */
  readonly paths: ReferencedPaths;
}

/** Paths of the visited objects, by their identities. They are complete when the whole tree was visited. */
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
   * Returns the path of the object to which a reference points, which is the name of its table. The root is `/`, a null
   * reference the empty text, and an object without a path `#` with its address.
   */
  of(reference: Reference): string {
    const id = this.#idOf?.(reference) ?? null;
    return id === null ? "" : (this.#paths.get(id) ?? `#${id}`);
  }
}

/** The path of the root, which is also the name of the table of contents. */
export const ROOT = "/";
