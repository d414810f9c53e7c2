/** Data files that a statement names instead of tables: `from 'donors.csv'`. */

import type { DataTable } from "../../model/dataset.js";

/** A data file in a statement. It is either read by a DuckDB function or loaded as a table. */
export type TableFile =
  | { readonly kind: "csv"; readonly delimiter: string | null }
  | { readonly kind: "table"; readonly table: DataTable; close(): Promise<void> };

export type OpenTableFile = (path: string, signal: AbortSignal | undefined) => Promise<TableFile>;
