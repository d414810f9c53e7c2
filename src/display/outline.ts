/** What is shown of a dataset and of a table before any row is read. Names are of the file: not to be trusted. */

import type { Dataset, DataTable } from "../model/dataset.js";
import { shortened } from "./printable.js";

/** How much of each is spelled out. */
const TABLES = 200;
const COLUMNS = 24;
const REMARKS = 20;

export interface ColumnSummary {
  readonly name: string;
  readonly type: string;
}

export interface TableSummary {
  readonly name: string;
  readonly rows: string;
  /** Kind, shape and layouts, as far as there are any. */
  readonly about: string;
  readonly columns: readonly ColumnSummary[];
  /** How many columns more there are. */
  readonly more: number;
}

export interface DatasetOutline {
  readonly source: string;
  readonly about: string;
  readonly tables: readonly TableSummary[];
  readonly more: number;
  /** What cannot be read, and warnings. */
  readonly remarks: readonly string[];
}

export function tableOutline({ name, rows, metadata, schema, layouts }: DataTable): TableSummary {
  const shape = metadata.shape === undefined ? [] : [metadata.shape.join(" × ")];
  const forms = layouts.length > 1 ? [`layouts ${layouts.join(", ")}`] : [];
  const columns = schema.fields
    .slice(0, COLUMNS)
    .map((field) => ({ name: shortened(field.name), type: shortened(String(field.type)) }));
  return {
    name: shortened(name, 200),
    rows: rows === null ? "rows are not counted" : rows === 1 ? "1 row" : `${rows.toLocaleString("en")} rows`,
    about: shortened([metadata.kind, ...shape, ...forms].join(", "), 200),
    columns,
    more: schema.fields.length - columns.length,
  };
}

export function datasetOutline(dataset: Dataset<unknown>): DatasetOutline {
  const { source, format, version, container, shape, tables, failures, warnings } = dataset;
  const shown = [...tables.values()].slice(0, TABLES).filter(isDataTable);
  const remarks = [
    ...[...failures].map(([name, error]) => `cannot be read: ${name}: ${error.problem}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  const kept = remarks.slice(0, REMARKS).map((remark) => shortened(remark, 300));
  if (remarks.length > REMARKS) kept.push(`… ${remarks.length - REMARKS} more`);
  return {
    source: shortened(source, 300),
    about: [`${format} ${version}`.trim(), container, ...(shape === null ? [] : [shape.join(" × ")])]
      .map((part) => shortened(part))
      .join(", "),
    tables: shown.map(tableOutline),
    more: tables.size - shown.length,
    remarks: kept,
  };
}

function isDataTable(table: unknown): table is DataTable {
  return typeof table === "object" && table !== null && "schema" in table && "batches" in table;
}
