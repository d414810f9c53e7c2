/** Files of tables that a statement names in the place of a table: `from 'donors.csv'`. */

import type { DataTable } from "../model/dataset.js";

/** A file as statements read it: by a function of DuckDB, or as a table that is loaded. */
export type TableFile =
  | { readonly kind: "csv"; readonly delimiter: string | null }
  | { readonly kind: "table"; readonly table: DataTable; close(): Promise<void> };

/** Opens the file at a path. */
export type OpenTableFile = (path: string, signal: AbortSignal | undefined) => Promise<TableFile>;
