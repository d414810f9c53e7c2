/** Contents of the table tab: layout, columns, and the rows that match the conditions, in order. */

import type { ViewColumn, ViewRequest, ViewTable } from "annarrow/view";
import type { OpenedInput, View } from "../state/view.js";
import { gridColumns } from "./column-kind.js";
import { ColumnSummaries } from "./column-summary.js";
import { sqlOfConditions } from "./filters.js";
import { ServedRows } from "./grid-rows.js";
import { positionsOf } from "./positions.js";
import type { Layout, TableState } from "./table-state.js";

export interface ShownRows {
  readonly rows: ServedRows;
  readonly summaries: ColumnSummaries;
  /** Positions of the rows; null for all in stored order. */
  readonly positions: Uint32Array | null;
  /** Number of rows without conditions. */
  readonly all: number;
  /** False if the number of rows is unknown. Then only the first rows are shown, unless there are conditions. */
  readonly isCounted: boolean;
}

/** Number of rows shown of a table whose length is known only after a full scan, such as fragments in text. */
const BEGINNING = 10_000;

/** Maximum number of matrix columns shown densely; for wider matrices coordinates are easier to read and scroll. */
const MOST_COLUMNS = 60_000;

/** Returns the layouts that can be shown: a table with an unknown number of rows cannot be scrolled. */
export function shownLayouts({ layouts, rows }: ViewTable): readonly Layout[] {
  const known: readonly Layout[] = ["coordinate", "list", "dense", "columns"];
  return known.filter(
    (layout) => layouts.includes(layout) && !(layout === "coordinate" && layouts[0] === layout && rows === null),
  );
}

/** Returns the default layout: cell matrices are shown by rows, graphs by edges. */
export function suitingLayout(table: ViewTable): Layout | null {
  const shown = shownLayouts(table);
  const [first] = table.layouts;
  if (first === undefined || first === "dense") return null;
  const isGraph = /(?:^|\/)(?:obsp|varp)\//.test(table.name);
  const isWide = (table.shape?.[1] ?? 0) > MOST_COLUMNS;
  const isByColumns = table.kind === "csc_matrix";
  if (shown.includes("dense") && !isWide && ((!isGraph && !isByColumns) || !shown.includes("coordinate")))
    return "dense";
  return null;
}

/** Returns columns of a table from a position on, up to the number shown at once. */
export async function columnsFrom(
  view: View,
  { name: input }: OpenedInput,
  table: ViewTable,
  from: number,
  signal: AbortSignal,
): Promise<readonly ViewColumn[]> {
  return from === 0
    ? table.columns
    : view.connection.json({ call: "columns", input, table: table.name, from }, { signal });
}

/** @throws errors of the server or worker, such as invalid SQL conditions or unreadable tables. */
export async function showRows(
  view: View,
  opened: OpenedInput,
  table: ViewTable,
  state: TableState,
  signal: AbortSignal,
): Promise<ShownRows> {
  const wanted = state.layout ?? suitingLayout(table);
  const layout = wanted === table.layouts[0] ? null : wanted;
  const { connection } = view;
  const input = opened.name;
  const fields = layout === null ? table.columns : await fieldsOf(view, opened, table, layout, signal);
  const names = await namesOfItems(opened, table, layout, signal);
  const known =
    layout === null || layout === "coordinate" ? (table.rows ?? table.shape?.[0] ?? null) : (table.shape?.[0] ?? 0);
  const all = known ?? (await rowsAtBeginning(view, opened, table, signal));
  const filter = layout === null ? sqlOfConditions(state) : null;
  const sort = layout === null ? state.sort : null;
  const positions =
    filter === null && sort === null
      ? null
      : await positionsOf(
          connection,
          {
            ...{ call: "positions", input, table: table.name },
            filter: filter ?? undefined,
            sort: sort ?? undefined,
          },
          signal,
        );
  const columns = gridColumns(fields, names);
  const rows = positions?.length ?? all;
  return {
    rows: new ServedRows({ connection, input, table: table.name, layout, columns, rows, all, positions }),
    summaries: new ColumnSummaries(view, opened, { ...table, columns: fields }, layout, all),
    ...{ positions, all, isCounted: known !== null || all < BEGINNING },
  };
}

async function rowsAtBeginning(view: View, { name: input }: OpenedInput, table: ViewTable, signal: AbortSignal) {
  const columns = table.columns.slice(0, 1).map(({ name }) => name);
  let rows = 0;
  const request: ViewRequest = { call: "rows", input, table: table.name, columns, rows: [0, BEGINNING] };
  for await (const batch of view.connection.batches(request, { signal })) rows += batch.numRows;
  return rows;
}

/** Returns the columns of another layout, from a request for zero rows. */
async function fieldsOf(view: View, { name }: OpenedInput, table: ViewTable, layout: Layout, signal: AbortSignal) {
  const request = { call: "rows", input: name, table: table.name, layout, rows: [0, 0] } as const;
  for await (const { schema } of view.connection.batches({ ...request, rows: [0, 0] }, { signal })) {
    return schema.fields.map((field) => ({ name: field.name, type: String(field.type), nullable: field.nullable }));
  }
  return [];
}

/** Returns a function for the column names of a matrix, which are gene names. */
async function namesOfItems(opened: OpenedInput, table: ViewTable, layout: Layout | null, signal: AbortSignal) {
  const isDense = layout === "dense" || (layout === null && table.layouts[0] === "dense");
  const isOfGenes = /^(?:X|layers\/.*|raw\/X)$/.test(table.name);
  if (!isDense || !isOfGenes) return () => null;
  const names = await opened.columns.names(table.name.startsWith("raw/") ? "raw/var" : "var", signal);
  return (item: number): string | null => (names === null ? null : String(names.get(item)));
}
