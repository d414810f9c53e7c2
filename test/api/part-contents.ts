/** The tables of a dataset as plain values, and what a part of them must be: slowly, one value after the other. */

import { tableFromIPC, tableToIPC } from "apache-arrow";
import type { DataTable, TableSet } from "../../packages/published/src/index.js";
import { type Plain, plainRows } from "../arrow/plain.js";

export interface PlainTable {
  readonly kind: string;
  readonly fields: readonly string[];
  readonly rows: readonly (readonly Plain[])[];
}

export type Contents = Readonly<Record<string, PlainTable>>;

/** Sparse matrices and graphs, whose tables have a row for each entry. */
const ENTRIES = new Set(["csr_matrix", "csc_matrix", "coo_matrix"]);

export async function contentsOf(data: TableSet): Promise<Contents> {
  const all: Record<string, PlainTable> = {};
  for (const [name, table] of data.tables) if (!table.derived) all[name] = await plainTable(table);
  return all;
}

async function plainTable(table: DataTable): Promise<PlainTable> {
  const read = await table.read();
  const rows = plainRows(tableFromIPC(tableToIPC(read)));
  const { kind } = table.metadata;
  const fields = read.schema.fields.map((field) => String(field));
  return { kind, fields, rows: ENTRIES.has(kind) ? byPlace(rows) : rows };
}

function byPlace(entries: readonly Plain[][]): Plain[][] {
  return entries.toSorted((a, b) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1]));
}

export type Positions = readonly number[] | null;

/** The part of a table that has these positions of its axes. */
export function slowPart(table: PlainTable, rows: Positions, cols: Positions): PlainTable["rows"] {
  if (ENTRIES.has(table.kind)) return slowEntries(table.rows, rows, cols);
  const taken = rows === null ? table.rows : rows.map((row) => table.rows[row]);
  if (cols === null) return taken;
  return taken.map(([list, ...others]) => {
    if (!Array.isArray(list) || others.length > 0) throw new TypeError("a dense matrix was expected");
    return [cols.map((col): Plain => list[col])];
  });
}

function slowEntries(entries: PlainTable["rows"], rows: Positions, cols: Positions): Plain[][] {
  const places = (positions: Positions, at: Plain): number[] =>
    positions === null ? [Number(at)] : positions.flatMap((position, i) => (position === Number(at) ? [i] : []));
  const taken = entries.flatMap(([row, col, ...values]) =>
    places(rows, row).flatMap((newRow) => places(cols, col).map((newCol) => [newRow, newCol, ...values])),
  );
  return byPlace(taken);
}
