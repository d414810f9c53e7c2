/** The tables for a statement: uploaded tables, and tables of a dataset, without rows if only a schema is needed. */

import type { DataTable, TableSet } from "annarrow";
import { NotFoundError } from "annarrow";
import type { SqlRelation } from "annarrow/core/query";
import { toSqlDataset } from "annarrow/core/query";

export function withTables(dataset: TableSet | null, tables: ReadonlyMap<string, DataTable>): TableSet {
  return {
    format: dataset?.format ?? "tables",
    version: dataset?.version ?? "",
    container: dataset?.container ?? "arrow",
    shape: dataset?.shape ?? null,
    source: dataset?.source ?? "",
    tables,
    failures: dataset?.failures ?? new Map(),
    warnings: [],
    table(name) {
      const table = tables.get(name);
      if (table !== undefined) return table;
      const failure = dataset?.failures.get(name);
      throw failure ?? new NotFoundError(`no table ${JSON.stringify(name)}`);
    },
    close: async () => dataset?.close(),
  };
}

/**
 * Returns the tables of `dataset` that a statement names with the given schema.
 * @param schema null selects names without a schema, and names whose qualifier is not in `schemas`.
 */
export function selectSchemaTables(
  dataset: TableSet,
  relations: readonly SqlRelation[],
  schema: string | null,
  schemas: ReadonlySet<string>,
): TableSet {
  const known = toSqlDataset(dataset);
  const meant = relations.filter((relation) =>
    schema === null ? relation.schema === null || !schemas.has(relation.schema) : relation.schema === schema,
  );
  const names = new Set(meant.map(({ name }) => name.toLowerCase()));
  const isMeant = (name: string) => names.has(name.toLowerCase());
  const failures = new Map([...known.failures].filter(([name]) => isMeant(name)));
  return withTables({ ...known, failures }, new Map([...known.tables].filter(([name]) => isMeant(name))));
}
