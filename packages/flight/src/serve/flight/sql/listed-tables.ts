/** The server's datasets as schemas, and the tables in them. */

import { isAnnarrowError } from "annarrow";
import { encodeApacheSchema } from "annarrow/core/ipc";
import { createSqlTableNames, toSqlTable } from "annarrow/core/query";
import { checkForDuckDB, toDuckDBResultSchema } from "annarrow/core/sinks";
import { toDataTable } from "annarrow/core/tables";
import type { RecordBatch } from "apache-arrow";
import { Binary, Field, Schema } from "apache-arrow";
import type { TablesCommand } from "../../../flight/protocol/sql/command.js";
import type { OpenDataset } from "../../datasets/datasets.node.js";
import {
  createMetadataTable,
  createRowBatch,
  createSchemaNameFields,
  type MetadataTable,
  type RowValue,
  TABLE_TYPE,
  text,
} from "./metadata-table.js";
import { getPatternPrefix, matchesPattern } from "./name-pattern.js";

export interface ListedDatasets {
  /** Yields the names of the datasets that begin with `prefix`, in order. */
  names(prefix: string, signal: AbortSignal): AsyncIterable<string>;
  /** Runs `action` on a dataset; null if the dataset cannot be opened. */
  use<T>(name: string, signal: AbortSignal, action: (dataset: OpenDataset) => Promise<T>): Promise<T | null>;
}

/** Rows of one batch of schemas. */
const ROWS = 1000;

/** Whether a filter by catalog matches. There are no catalogs, so it matches all tables or no table. */
const inCatalog = (catalog: string | null) => catalog === null || catalog === "";

export function createSchemasTable(
  listed: ListedDatasets,
  { catalog, schemaPattern }: { readonly catalog: string | null; readonly schemaPattern: string | null },
): MetadataTable {
  const schema = new Schema([...createSchemaNameFields("", false)]);
  return {
    schema,
    async *batches(signal) {
      let rows: (readonly RowValue[])[] = [];
      for await (const name of matching(listed, catalog, schemaPattern, signal)) {
        rows.push([null, name]);
        if (rows.length < ROWS) continue;
        yield createRowBatch(schema, rows);
        rows = [];
      }
      yield createRowBatch(schema, rows);
    },
  };
}

export function createTablesTable(listed: ListedDatasets, command: TablesCommand): MetadataTable {
  const { catalog, schemaPattern, tablePattern, types, includeSchema } = command;
  const named = [...createSchemaNameFields("", true), text("table_name"), text("table_type")];
  const fields = includeSchema ? [...named, new Field("table_schema", new Binary(), false)] : named;
  if (types.length > 0 && !types.includes(TABLE_TYPE)) return createMetadataTable(fields, []);
  const schema = new Schema(fields);
  const rowOf = (name: string, table: string, bytes: Uint8Array): readonly RowValue[] =>
    includeSchema ? [null, name, table, TABLE_TYPE, bytes] : [null, name, table, TABLE_TYPE];
  return {
    schema,
    async *batches(signal): AsyncGenerator<RecordBatch> {
      for await (const name of matching(listed, catalog, schemaPattern, signal)) {
        const rows = await listed.use(name, signal, async (dataset) => {
          const found: (readonly RowValue[])[] = [];
          const names = createSqlTableNames(dataset);
          for (const element of [...dataset.tables.keys()].sort()) {
            const table = names.get(element) ?? element;
            if (!matchesPattern(table, tablePattern)) continue;
            const bytes = await selectedSchema(dataset, element);
            if (bytes !== null) found.push(rowOf(name, table, bytes));
          }
          return found;
        });
        if (rows !== null && rows.length > 0) yield createRowBatch(schema, rows);
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
  for await (const name of listed.names(getPatternPrefix(pattern), signal))
    if (matchesPattern(name, pattern)) yield name;
}

/** Returns the schema of `select *` from a table as a message; null if DuckDB cannot store the table. */
async function selectedSchema(dataset: OpenDataset, name: string): Promise<Uint8Array | null> {
  const { schema } = toSqlTable(await toDataTable(dataset.table(name)));
  try {
    checkForDuckDB(schema, name);
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
  return encodeApacheSchema(toDuckDBResultSchema(schema));
}
