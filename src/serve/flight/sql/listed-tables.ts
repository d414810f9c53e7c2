/** The datasets of the server as schemas, and their tables. */

import type { RecordBatch } from "apache-arrow";
import { Binary, Field, Schema } from "apache-arrow";
import type { TablesCommand } from "../../../flight/protocol/sql/command.js";
import { messageOf } from "../../../ipc/write/apache-writer.js";
import { isAnnarrowError } from "../../../model/errors.js";
import { namesInSql, tableInSql } from "../../../query/tables-in-sql.js";
import { checkForDuckDB } from "../../../sinks/duckdb/held-types.js";
import { duckdbResultSchema } from "../../../sinks/duckdb/result-schema.js";
import { dataTableOf } from "../../../tables/given/table-forms.js";
import type { OpenDataset } from "../../datasets/datasets.node.js";
import { type MetadataTable, place, type RowValue, rowBatch, rowTable, TABLE_TYPE, text } from "./metadata-table.js";
import { matchesPattern, patternPrefix } from "./name-pattern.js";

export interface ListedDatasets {
  /** Names of the datasets that begin with `prefix`, in order. */
  names(prefix: string, signal: AbortSignal): AsyncIterable<string>;
  /** Runs `action` on a dataset; null if the dataset cannot be opened. */
  use<T>(name: string, signal: AbortSignal, action: (dataset: OpenDataset) => Promise<T>): Promise<T | null>;
}

/** Rows of one batch of schemas. */
const ROWS = 1000;

/** Whether a filter by catalog matches. There are no catalogs, so it matches all tables or no table. */
const inCatalog = (catalog: string | null) => catalog === null || catalog === "";

export function schemasTable(
  listed: ListedDatasets,
  { catalog, schemaPattern }: { readonly catalog: string | null; readonly schemaPattern: string | null },
): MetadataTable {
  const schema = new Schema([...place("", false)]);
  return {
    schema,
    async *batches(signal) {
      let rows: (readonly RowValue[])[] = [];
      for await (const name of matching(listed, catalog, schemaPattern, signal)) {
        rows.push([null, name]);
        if (rows.length < ROWS) continue;
        yield rowBatch(schema, rows);
        rows = [];
      }
      yield rowBatch(schema, rows);
    },
  };
}

export function tablesTable(listed: ListedDatasets, command: TablesCommand): MetadataTable {
  const { catalog, schemaPattern, tablePattern, types, includeSchema } = command;
  const named = [...place("", true), text("table_name"), text("table_type")];
  const fields = includeSchema ? [...named, new Field("table_schema", new Binary(), false)] : named;
  if (types.length > 0 && !types.includes(TABLE_TYPE)) return rowTable(fields, []);
  const schema = new Schema(fields);
  const rowOf = (name: string, table: string, bytes: Uint8Array): readonly RowValue[] =>
    includeSchema ? [null, name, table, TABLE_TYPE, bytes] : [null, name, table, TABLE_TYPE];
  return {
    schema,
    async *batches(signal): AsyncGenerator<RecordBatch> {
      for await (const name of matching(listed, catalog, schemaPattern, signal)) {
        const rows = await listed.use(name, signal, async (dataset) => {
          const found: (readonly RowValue[])[] = [];
          const names = namesInSql(dataset);
          for (const element of [...dataset.tables.keys()].sort()) {
            const table = names.get(element) ?? element;
            if (!matchesPattern(table, tablePattern)) continue;
            const bytes = await selectedSchema(dataset, element);
            if (bytes !== null) found.push(rowOf(name, table, bytes));
          }
          return found;
        });
        if (rows !== null && rows.length > 0) yield rowBatch(schema, rows);
      }
    },
  };
}

async function* matching(
  listed: ListedDatasets,
  catalog: string | null,
  pattern: string | null,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (!inCatalog(catalog)) return;
  for await (const name of listed.names(patternPrefix(pattern), signal)) if (matchesPattern(name, pattern)) yield name;
}

/** Returns the schema of `select *` from a table as a message; null if DuckDB cannot hold the table. */
async function selectedSchema(dataset: OpenDataset, name: string): Promise<Uint8Array | null> {
  const { schema } = tableInSql(await dataTableOf(dataset.table(name)));
  try {
    checkForDuckDB(schema, name);
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
  return messageOf(duckdbResultSchema(schema));
}
