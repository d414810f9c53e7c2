/** Where a table comes from: the dataset that it was opened in, which knows more of its rows and columns than it does. */

import type { DataTable } from "../model/dataset.js";
import type { Origin } from "./stored-table.js";

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
