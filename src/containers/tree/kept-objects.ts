/**
 * Values of a file that can be written again as they are stored, and only so: objects of MATLAB, which share what lies
 * beside them.
 */

import type { Container, Node } from "./container.js";

export interface KeptObjects {
  /** Follows the references in them, until the file is closed. */
  readonly container: Container;
  /** What they share: `#subsystem#`; null where the file has none. */
  readonly shared: Node | null;
  /** By the name of its table, or the path of what its tables lie below. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** The names of all tables of the file, derived ones aside. */
  readonly tables: ReadonlySet<string>;
}

/** Of a table that has its rows and columns as they were read. */
export interface AsRead {
  readonly kept: KeptObjects;
  /** The name that it had. */
  readonly name: string;
}
