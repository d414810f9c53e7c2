/**
 * Describes datasets and tables as text without reading any rows. Names and types come from a file, so their control
 * characters are escaped.
 */

import type { DataTable, TableSet } from "../../model/dataset.js";

/** Describes an object in text. Never throws. Parts that cannot be read are left out. */
export function renderTableText(table: DataTable): string {
  try {
    const { name, rows, about, columns, more } = toTableSummary(table);
    const lines = columns.map((column) => `  ${column.name}: ${column.type}`);
    if (more > 0) lines.push(`  … ${more} more columns`);
    return [`table ${name}: ${rows} (${about})`, ...lines].join("\n");
  } catch {
    return "table";
  }
}

/** Describes an object in text. Never throws. Parts that cannot be read are left out. */
export function renderDatasetText(dataset: TableSet<unknown>): string {
  try {
    const { source, about, tables, more, remarks } = toDatasetOutline(dataset);
    const width = Math.min(40, Math.max(0, ...tables.map((table) => table.name.length)));
    const lines = tables.map((table) => `  ${table.name.padEnd(width)}  ${table.rows}: ${formatColumnList(table)}`);
    if (more > 0) lines.push(`  … ${more} more tables`);
    return [`dataset ${source} (${about})`, ...lines, ...remarks].join("\n");
  } catch {
    return "dataset";
  }
}

const FEW = 5;

export function formatColumnList({ columns, more }: TableSummary): string {
  const shown = columns.slice(0, FEW).map(({ name, type }) => `${name}: ${type}`);
  const rest = more + columns.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… ${rest} more`] : [])].join(", ");
}

/** Key of the method that Jupyter's JavaScript kernels (Deno) call. They await the result. */
export const JUPYTER: unique symbol = Symbol.for("Jupyter.display");

/** Key of the method that `console.log` calls in Node.js, Deno and Bun. Its result must be synchronous. */
export const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** An object in several media types for a notebook. */
export interface Displayed {
  readonly "text/plain": string;
  readonly "text/html": string;
}

/** Maximum numbers of tables, columns and remarks that are listed. */
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
  /** Kind, shape and layouts, if there are any. */
  readonly about: string;
  readonly columns: readonly ColumnSummary[];
  /** Number of further columns. */
  readonly more: number;
}

export interface DatasetOutline {
  readonly source: string;
  readonly about: string;
  readonly tables: readonly TableSummary[];
  readonly more: number;
  /** Elements that cannot be read, and warnings. */
  readonly remarks: readonly string[];
}

export function toTableSummary({ name, rows, metadata, schema, layouts }: DataTable): TableSummary {
  const shape = metadata.shape === undefined ? [] : [metadata.shape.join(" × ")];
  const forms = layouts.length > 1 ? [`layouts ${layouts.join(", ")}`] : [];
  const columns = schema.fields
    .slice(0, COLUMNS)
    .map((field) => ({ name: truncateText(field.name), type: truncateText(String(field.type)) }));
  return {
    name: truncateText(name, 200),
    rows: rows === null ? "rows are not counted" : rows === 1 ? "1 row" : `${rows.toLocaleString("en")} rows`,
    about: truncateText([metadata.kind, ...shape, ...forms].join(", "), 200),
    columns,
    more: schema.fields.length - columns.length,
  };
}

export function toDatasetOutline(dataset: TableSet<unknown>): DatasetOutline {
  const { source, format, version, container, shape, tables, failures, warnings } = dataset;
  const shown = [...tables.values()].slice(0, TABLES).filter(isDataTable);
  const remarks = [
    ...[...failures].map(([name, error]) => `cannot be read: ${name}: ${error.problem}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  const kept = remarks.slice(0, REMARKS).map((remark) => truncateText(remark, 300));
  if (remarks.length > REMARKS) kept.push(`… ${remarks.length - REMARKS} more`);
  return {
    source: truncateText(source, 300),
    about: [`${format} ${version}`.trim(), container, ...(shape === null ? [] : [shape.join(" × ")])]
      .map((part) => truncateText(part))
      .join(", "),
    tables: shown.map(toTableSummary),
    more: tables.size - shown.length,
    remarks: kept,
  };
}

function isDataTable(table: unknown): table is DataTable {
  return typeof table === "object" && table !== null && "schema" in table && "batches" in table;
}

/** Escapes control characters, which a terminal would interpret. */
export function escapeControlChars(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    if (character === "\r") return "\\r";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Escapes the control characters in `text` and truncates it to `most` characters. */
export function truncateText(text: string, most = 80): string {
  const shown = escapeControlChars(text.slice(0, most + 1));
  if (shown.length <= most && text.length <= most) return shown;
  // A cut surrogate pair would leave half a character at the end.
  return `${shown.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
