/** Where a table comes from: the dataset that it was opened in, which knows more of its rows and columns than it does. */

import type { Dataset, DataTable } from "../model/dataset.js";
import type { ColumnTable } from "./column-table.js";
import type { StoredTable } from "./stored-table.js";

/** What is asked of a dataset by one of its tables. */
export interface Origin extends Pick<Dataset, "source" | "format"> {
  readonly tables: ReadonlyMap<string, DataTable | StoredTable>;
}

/** An element of a dataset. */
export interface OriginElement {
  readonly dataset: Origin;
  readonly name: string;
}

/** What a table of a dataset has its origin under. */
export const ORIGIN: unique symbol = Symbol.for("annarrow.origin");

/** A table that knows where it comes from. */
export interface FromDataset {
  readonly [ORIGIN]: Origin | null;
}

/** null for a table of the caller's. */
export function originOf(table: DataTable): OriginElement | null {
  const dataset = isFromDataset(table) ? table[ORIGIN] : null;
  return dataset === null ? null : { dataset, name: table.name };
}

function isFromDataset(table: DataTable): table is DataTable & FromDataset {
  return ORIGIN in table;
}

/**
 * Whether a table was opened under the name that it has: whatever its file has of its own is copied.
 * @param path the group below which it is written.
 */
export function isUnderItsName({ name, origin }: ColumnTable, path = ""): boolean {
  // The name of a file of one table says nothing.
  if (!origin || origin.dataset.format === "tables") return false;
  return origin.name === name || origin.name === `${path}/${name}`;
}
