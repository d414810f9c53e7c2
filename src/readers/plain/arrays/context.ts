/** The context in which plain HDF5 and Zarr are read. */

import type { Group, Reference } from "../../../containers/tree/container.js";
import type { ReaderContext } from "../../reader.js";

export interface PlainContext extends ReaderContext {
  /** The group that is read. */
  readonly root: Group;
  /** Paths of the objects that references point at. */
  readonly paths: ReferencedPaths;
}

/** Paths of the visited objects, by their identities. They are complete when the whole tree was visited. */
export class ReferencedPaths {
  readonly #paths = new Map<string, string>();
  readonly #idOf: ((reference: Reference) => string | null) | undefined;

  constructor(idOf: ((reference: Reference) => string | null) | undefined) {
    this.#idOf = idOf;
  }

  /** Notes the path of an object. The first path remains, where several links lead to the object. */
  add(id: string, path: string): void {
    if (!this.#paths.has(id)) this.#paths.set(id, path === "" ? ROOT : path);
  }

  /**
   * The path of the object at which a reference points, which is the name of its table. The root is `/`, a null reference
   * the empty text, and an object without a path `#` with its address.
   */
  of(reference: Reference): string {
    const id = this.#idOf?.(reference) ?? null;
    return id === null ? "" : (this.#paths.get(id) ?? `#${id}`);
  }
}

/** The path of the root, and the name of the table that lists the contents. */
export const ROOT = "/";
