/** The tab `table`: the element selected in the tree. */

import type { FileRequest, RowsFormat, ViewTable } from "annarrow/view";
import { useEffect, useRef, useState } from "preact/hooks";
import { sizeInWords, wordsOf } from "../answers/in-words.js";
import { FailureNote, PendingNote } from "../answers/notes.js";
import { useAnswer } from "../answers/use-answer.js";
import { useStoredColours } from "../figure/stored-colours.js";
import { maskBits } from "../selection/mask-bits.js";
import type { TabProps } from "../state/view.js";
import { CellDetail, type DetailedCell } from "./cell-detail.js";
import { ColumnHead } from "./column-head.js";
import type { GridColumn } from "./column-kind.js";
import { EXPORT_FORMATS } from "./export-formats.js";
import { FilterMenu } from "./filter-menu.js";
import { type Filter, sqlOfConditions } from "./filters.js";
import { Grid, type GridHandle } from "./grid.js";
import { columnsFrom, type ShownRows, shownLayouts, showRows, suitingLayout } from "./shown-rows.js";
import { TableBar } from "./table-bar.js";
import { emptyState, type TableState, tableState } from "./table-state.js";

export function TableTab({ view, opened }: TabProps) {
  const name = view.table.value;
  const { tables, failures } = opened.description;
  const table = tables.find((one) => one.name === name) ?? (name === "obs" ? tables[0] : undefined);
  if (table !== undefined) return <ShownTable view={view} opened={opened} table={table} key={table.name} />;
  const failure = failures.find((one) => one.name === name);
  return (
    <FailureNote message={failure === undefined ? `There is no element ${name}.` : `${name}: ${failure.message}`} />
  );
}

/** Heights of column headers in pixels. */
const HEAD = { withSummary: 92, plain: 48 } as const;

function ShownTable({ view, opened, table }: TabProps & { readonly table: ViewTable }) {
  const stored = tableState(view);
  const of = JSON.stringify([opened.name, table.name]);
  const state = stored.value.of === of ? stored.value : emptyState(of);
  const change = (part: Partial<TableState>) => {
    stored.value = { ...state, ...part };
  };
  const [from, setFrom] = useState(0);
  const answer = useAnswer(JSON.stringify([state, from]), async (signal) => {
    const columns = await columnsFrom(view, opened, table, from, signal);
    return showRows(view, opened, { ...table, columns }, state, signal);
  });
  const latest = useRef<ShownRows | null>(null);
  const [menu, setMenu] = useState<{ column: GridColumn; anchor: DOMRect } | null>(null);
  const [detail, setDetail] = useState<DetailedCell | null>(null);
  const [message, setMessage] = useState("");
  const grid = useRef<GridHandle | null>(null);
  const coloursOf = useStoredColours(opened);
  const colourOf = ({ field }: GridColumn, label: string) =>
    table.name === "obs" ? (coloursOf(field)?.get(label) ?? null) : null;
  // The previous rows are shown until new ones arrive, also if conditions are invalid SQL.
  if (answer.state === "ready" && latest.current !== answer.value) {
    latest.current?.rows.close();
    latest.current = answer.value;
  }
  const shown = latest.current;
  useEffect(() => () => latest.current?.rows.close(), []);

  const layout = state.layout ?? suitingLayout(table) ?? table.layouts.find((one) => one === table.layouts[0]) ?? null;
  const isFirstLayout = layout === null || layout === table.layouts[0];
  const canAsk = view.inputs.calls.includes("positions");
  const noConditions = !isFirstLayout ? "" : canAsk ? null : "Sorting and filtering need `annarrow view`.";
  const canSort = noConditions === null;
  const sortOf = ({ field, item }: GridColumn) =>
    item !== null || state.sort?.column !== field ? "none" : state.sort.descending ? "descending" : "ascending";
  const sortNext = ({ field }: GridColumn) => {
    const { sort } = state;
    const isThis = sort?.column === field;
    change({
      sort: !isThis ? { column: field, descending: false } : sort.descending ? null : { ...sort, descending: true },
    });
  };
  const setFilter = (field: string, filter: Filter | null) => {
    const others = state.filters.filter(({ column }) => column !== field);
    change({ filters: filter === null ? others : [...others, filter] });
  };
  const save = async (format: RowsFormat) => {
    const told = (words: string) => setMessage(`The export is being prepared… ${words}`);
    told("");
    try {
      await view.connection.save(exportRequest(opened.name, table, state, shown, format), {
        onSaving: ({ bytes }) => told(bytes === null ? "" : sizeInWords(bytes)),
      });
      setMessage("");
    } catch (error) {
      setMessage(`The export has failed: ${wordsOf(error)}`);
    }
  };
  const canExport = view.inputs.calls.includes("save") && !table.derived;

  return (
    <div class="table-tab">
      <TableBar
        label={table.name}
        shown={shown?.rows.rows ?? null}
        all={shown?.isCounted ? shown.all : null}
        isBeginning={shown !== null && !shown.isCounted && shown.positions === null}
        filters={state.filters}
        sql={state.sql}
        noConditions={noConditions}
        columns={
          isFirstLayout && table.columnCount > table.columns.length
            ? { from, most: table.columns.length, all: table.columnCount }
            : null
        }
        setColumns={setFrom}
        layouts={shownLayouts(table)}
        layout={shownLayouts(table).find((one) => one === layout) ?? null}
        selectCells={
          table.name !== "obs"
            ? null
            : () => opened.selection.add({ by: "filter", mode: "within", filter: sqlOfConditions(state) ?? "true" })
        }
        formats={canExport ? EXPORT_FORMATS : []}
        message={message}
        setLayout={(next) => change({ layout: next, sort: null, filters: [], sql: "" })}
        setSql={(sql) => change({ sql })}
        removeFilter={(index) => change({ filters: state.filters.filter((_, at) => at !== index) })}
        goTo={(row) => grid.current?.goTo(row)}
        copy={() => void grid.current?.copy()}
        save={(format) => void save(format)}
      />
      {answer.state === "failed" && <FailureNote message={answer.message} retry={answer.retry} />}
      {answer.state === "pending" && <PendingNote>{shown === null ? "Reading…" : "Finding the rows…"}</PendingNote>}
      {shown !== null && (
        <Grid
          rows={shown.rows}
          label={`Rows of ${table.name}`}
          headHeight={shown.rows.columns.some((column) => shown.summaries.has(column)) ? HEAD.withSummary : HEAD.plain}
          handle={grid}
          sortOf={sortOf}
          colourOf={colourOf}
          head={(column) => (
            <ColumnHead
              column={column}
              summaries={shown.summaries}
              sort={
                !canSort || column.item !== null
                  ? null
                  : ({ none: "none", ascending: "asc", descending: "desc" } as const)[sortOf(column)]
              }
              isFiltered={state.filters.some((filter) => filter.column === column.field)}
              openFilter={
                canSort && column.item === null && column.kind !== "other" && column.kind !== "time"
                  ? (anchor) => setMenu({ column, anchor })
                  : null
              }
              sortNext={() => sortNext(column)}
            />
          )}
          openCell={(row, column) => setDetail({ row, column })}
          told={setMessage}
        />
      )}
      {shown?.rows.rows === 0 && (
        <p class="no-rows quiet-text">{shown.all === 0 ? "The table has no rows." : "No row meets the conditions."}</p>
      )}
      {menu !== null && (
        <FilterMenu
          key={menu.column.key}
          column={menu.column}
          anchor={menu.anchor}
          summaries={shown?.summaries ?? null}
          filter={state.filters.find(({ column }) => column === menu.column.field) ?? null}
          apply={(filter) => setFilter(menu.column.field, filter)}
          close={() => setMenu(null)}
        />
      )}
      {detail !== null && shown !== null && (
        <CellDetail
          cell={detail}
          rows={shown.rows}
          close={() => setDetail(null)}
          key={`${detail.row} ${detail.column.key}`}
        />
      )}
    </div>
  );
}

/** Requests the rows as shown: axis tables by a mask, which preserves categories; other tables by a statement. */
function exportRequest(
  input: string,
  table: ViewTable,
  state: TableState,
  shown: ShownRows | null,
  format: RowsFormat,
): FileRequest {
  const filter = sqlOfConditions(state);
  const { sort } = state;
  const { name, axis } = table;
  if (sort !== null || (filter !== null && axis === null)) {
    const condition = { filter: filter ?? undefined, sort: sort ?? undefined };
    return { call: "save-rows", input, table: name, format, ...condition };
  }
  const positions = filter === null ? null : (shown?.positions ?? null);
  const chosen =
    positions === null
      ? {}
      : { [axis === "row" ? "obs" : "var"]: { mask: maskBits(maskOf(positions, shown?.all ?? 0)) } };
  return { call: "save", input, format, element: name, ...chosen };
}

function maskOf(positions: Uint32Array, length: number): Uint8Array {
  const mask = new Uint8Array(length);
  for (const position of positions) mask[position] = 1;
  return mask;
}
