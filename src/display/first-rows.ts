/** The first rows of a table as text. */

import type { Data, RecordBatch } from "apache-arrow";
import type { DataTable } from "../model/dataset.js";
import { shortened } from "./shortened.js";

const ROWS = 5;
const COLUMNS = 12;
/** Longer cells are not turned into text only to be cut. */
const CELL_BYTES = 2 ** 20;
const PATIENCE_MS = 10_000;

export interface FirstRows {
  readonly titles: readonly { readonly name: string; readonly type: string }[];
  /** Null where there is no value. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/**
 * The first rows and columns; a table that takes longer than ten seconds is given up.
 * @throws what reading throws.
 */
export async function firstRows(table: DataTable): Promise<FirstRows> {
  const names = table.schema.fields.map((field) => field.name);
  const end = Math.min(ROWS, table.rows ?? ROWS);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  // A name that stands for several columns chooses none of them.
  const isChosen = new Set(names).size === names.length;
  const columns = isChosen ? { columns: names.slice(0, COLUMNS) } : {};
  for await (const batch of table.batches({ rows: [0, end], ...columns, signal })) {
    const { cellText } = await import("../arrow/apache/cell-text.js");
    return rowsOf(batch, (data) => (isHuge(data) ? () => "…" : cellText(data)));
  }
  return { titles: [], rows: [] };
}

function rowsOf(batch: RecordBatch, textOf: (data: Data) => (row: number) => string | null): FirstRows {
  const texts = batch.data.children.slice(0, COLUMNS).map(textOf);
  const rows = Array.from({ length: Math.min(ROWS, batch.numRows) }, (_, row) =>
    texts.map((text) => {
      const cell = text(row);
      return cell === null ? null : shortened(cell, 60);
    }),
  );
  const titles = batch.schema.fields.slice(0, COLUMNS).map(({ name, type }) => ({
    name: shortened(name),
    type: shortened(String(type)),
  }));
  return { titles, rows };
}

/** Dictionaries do not count: only the values that are shown become text. */
function isHuge(data: Data): boolean {
  return data.dictionary === undefined && data.byteLength > CELL_BYTES * ROWS;
}
