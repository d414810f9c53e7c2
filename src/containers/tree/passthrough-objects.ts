/**
 * Values of a file that can only be written again in their stored form, such as MATLAB objects, which share further
 * data in the file.
 */

import type { Container, Node } from "./container.js";

export interface PassthroughObjects {
  /** The container, which resolves references in the values until the file is closed. */
  readonly container: Container;
  /** The data that the objects share (`#subsystem#`); null if the file has none. */
  readonly shared: Node | null;
  /** The nodes by the names of their tables, or by the common path prefix of their tables. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** The names of all tables of the file, except derived ones. */
  readonly tables: ReadonlySet<string>;
}

/** The origin of a table whose rows and columns are unchanged since reading. */
export interface AsRead {
  readonly kept: PassthroughObjects;
  /** The name of the table in its file. */
  readonly name: string;
}
