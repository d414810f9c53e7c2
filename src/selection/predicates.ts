/** Replacement for environments in which DuckDB does not run in this process, such as web pages. */

import type { DataTable } from "../model/dataset.js";
import { MissingDependencyError } from "../model/errors.js";
import type { SqlPredicate } from "../model/selection.js";

/** @throws {MissingDependencyError} always. */
export async function querySqlPositions(
  _table: DataTable,
  _tables: () => Promise<ReadonlyMap<string, DataTable>>,
  { text }: SqlPredicate,
  _signal?: AbortSignal,
): Promise<Int32Array> {
  throw new MissingDependencyError(
    `the condition ${JSON.stringify(text)} needs DuckDB in this process, which pages do not have: use where(columns, test)`,
  );
}
