/** Datasets and tables as text. */

import type { Dataset, DataTable } from "../model/dataset.js";
import { datasetOutline, type TableSummary, tableOutline } from "./outline.js";

/** Never throws: what cannot be told is left out. */
export function tableText(table: DataTable): string {
  try {
    const { name, rows, about, columns, more } = tableOutline(table);
    const lines = columns.map((column) => `  ${column.name}: ${column.type}`);
    if (more > 0) lines.push(`  … ${more} more columns`);
    return [`table ${name}: ${rows} (${about})`, ...lines].join("\n");
  } catch {
    return "table";
  }
}

/** Never throws: what cannot be told is left out. */
export function datasetText(dataset: Dataset<unknown>): string {
  try {
    const { source, about, tables, more, remarks } = datasetOutline(dataset);
    const width = Math.min(40, Math.max(0, ...tables.map((table) => table.name.length)));
    const lines = tables.map((table) => `  ${table.name.padEnd(width)}  ${table.rows}: ${columnsText(table)}`);
    if (more > 0) lines.push(`  … ${more} more tables`);
    return [`dataset ${source} (${about})`, ...lines, ...remarks].join("\n");
  } catch {
    return "dataset";
  }
}

const FEW = 5;

/** The first columns in one line. */
export function columnsText({ columns, more }: TableSummary): string {
  const shown = columns.slice(0, FEW).map(({ name, type }) => `${name}: ${type}`);
  const rest = more + columns.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… ${rest} more`] : [])].join(", ");
}

/** Jupyter kernels of JavaScript (Deno); the answer is awaited. */
export const JUPYTER: unique symbol = Symbol.for("Jupyter.display");

/** `console.log` of Node.js, Deno and Bun; the answer is wanted at once. */
export const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** What a notebook is given: the same in several media types. */
export interface Displayed {
  readonly "text/plain": string;
  readonly "text/html": string;
}
