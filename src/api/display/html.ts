/** Renders datasets and tables as HTML for notebooks. All content from files passes through `escapeHtml`. */

import type { Data, RecordBatch } from "apache-arrow";
import type { DataTable, TableSet } from "../../model/dataset.js";
import { formatColumnList, toDatasetOutline, toTableSummary, truncateText } from "./plain.js";

/** Renders a table's outline and first rows, or the reason why the rows cannot be read. */
export async function renderTableHtml(table: DataTable): Promise<string> {
  const { name, rows, about, columns, more } = toTableSummary(table);
  const head = `<p><b>${escapeHtml(name)}</b>: ${escapeHtml(rows)} (${escapeHtml(about)})</p>`;
  let body: string;
  try {
    body = rowsHtml(await readFirstRows(table));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const schema = columns.map((column) => `<li>${escapeHtml(column.name)}: ${escapeHtml(column.type)}</li>`);
    body = `<ul>${schema.join("")}</ul><p>no rows: ${escapeHtml(truncateText(problem, 300))}</p>`;
  }
  const all = columns.length + more;
  return `<div>${head}${body}<p>${all === 1 ? "1 column" : `${all} columns`}</p></div>`;
}

function rowsHtml({ titles, rows }: FirstRows): string {
  const head = titles.map(({ name, type }) => `<th>${escapeHtml(name)}<br><small>${escapeHtml(type)}</small></th>`);
  const lines = rows.map(
    (row) => `<tr>${row.map((cell) => `<td>${cell === null ? "<i>null</i>" : escapeHtml(cell)}</td>`).join("")}</tr>`,
  );
  return `<table><thead><tr>${head.join("")}</tr></thead><tbody>${lines.join("")}</tbody></table>`;
}

export function renderDatasetHtml(dataset: TableSet<unknown>): string {
  const { source, about, tables, more, remarks } = toDatasetOutline(dataset);
  const lines = tables.map((table) => {
    const cells = [table.name, table.rows, formatColumnList(table)].map((text) => `<td>${escapeHtml(text)}</td>`);
    return `<tr>${cells.join("")}</tr>`;
  });
  const rest = more > 0 ? `<p>… ${more} more tables</p>` : "";
  const notes = remarks.map((remark) => `<li>${escapeHtml(remark)}</li>`).join("");
  const head = "<thead><tr><th>table</th><th>rows</th><th>columns</th></tr></thead>";
  return [
    `<div><p><b>${escapeHtml(source)}</b> (${escapeHtml(about)})</p>`,
    `<table>${head}<tbody>${lines.join("")}</tbody></table>${rest}`,
    `${notes === "" ? "" : `<ul>${notes}</ul>`}</div>`,
  ].join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes `text` so that it can be an element's text or an attribute's value. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ROWS = 5;
const COLUMNS = 12;
/** Maximum size in bytes of a cell that is converted to text. Text of a larger cell would be truncated anyway. */
const CELL_BYTES = 2 ** 20;
const PATIENCE_MS = 10_000;

export interface FirstRows {
  readonly titles: readonly { readonly name: string; readonly type: string }[];
  /** Text of the cells; null for a missing value. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/**
 * Reads the first rows and columns. Gives up after ten seconds.
 * @throws errors that occur while the table is read.
 */
async function readFirstRows(table: DataTable): Promise<FirstRows> {
  const names = table.schema.fields.map((field) => field.name);
  const end = Math.min(ROWS, table.rows ?? ROWS);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  // Columns with the same name cannot be selected by name.
  const isChosen = new Set(names).size === names.length;
  for await (const batch of table.batches({
    rows: [0, end],
    columns: isChosen ? names.slice(0, COLUMNS) : undefined,
    signal,
  })) {
    const { createCellFormatter } = await import("../../arrow/apache/cell-text.js");
    return rowsOf(batch, (data) => (isHuge(data) ? () => "…" : createCellFormatter(data)));
  }
  return { titles: [], rows: [] };
}

function rowsOf(batch: RecordBatch, textOf: (data: Data) => (row: number) => string | null): FirstRows {
  const texts = batch.data.children.slice(0, COLUMNS).map(textOf);
  const rows = Array.from({ length: Math.min(ROWS, batch.numRows) }, (_, row) =>
    texts.map((text) => {
      const cell = text(row);
      return cell === null ? null : truncateText(cell, 60);
    }),
  );
  const titles = batch.schema.fields.slice(0, COLUMNS).map(({ name, type }) => ({
    name: truncateText(name),
    type: truncateText(String(type)),
  }));
  return { titles, rows };
}

/** Whether cells are too large to show. Dictionaries are ignored, since only displayed values become text. */
function isHuge(data: Data): boolean {
  return data.dictionary === undefined && data.byteLength > CELL_BYTES * ROWS;
}
