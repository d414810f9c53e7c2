/** What is written at the root of an AnnData, or of another format that is built from the same elements. */

import type { GroupWriter, WrittenAttributes } from "../containers/tree/container-writer.js";
import type { ColumnTable } from "../tables/column-table.js";

export interface WrittenRootLayout {
  readonly attributes: WrittenAttributes;
  /** The mappings that are there also where they are empty: all but those that the file had not, as `obs` remembers. */
  readonly mappings: readonly string[];
  /** Whether obs and var must be there, if only with the positions of their rows. */
  readonly needsFrames: boolean;
}

export interface WrittenTables {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly warnings: readonly string[];
}

/** Writes tables as the elements below a group. */
export type WriteRoot = (
  root: GroupWriter,
  tables: ReadonlyMap<string, ColumnTable>,
  layout: WrittenRootLayout,
) => Promise<WrittenTables>;
