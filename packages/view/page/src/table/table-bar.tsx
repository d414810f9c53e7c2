/** Toolbar above a table: number of rows shown, conditions, and actions for the rows. */

import type { RowsFormat } from "annarrow/view";
import { useState } from "preact/hooks";
import { FORMAT_WORDS } from "./export-formats.js";
import { type Filter, wordsOfFilter } from "./filters.js";
import type { Layout } from "./table-state.js";

export interface TableBarProps {
  readonly label: string;
  readonly shown: number | null;
  readonly all: number | null;
  /** True if only the first rows of an unknown number are shown. */
  readonly isBeginning: boolean;
  readonly filters: readonly Filter[];
  readonly sql: string;
  /** Reason why rows cannot be sorted and filtered here; null if they can. */
  readonly noConditions: string | null;
  /** Range of shown columns, if the table has too many to show at once; null if all are shown. */
  readonly columns: { readonly from: number; readonly most: number; readonly all: number } | null;
  readonly layouts: readonly Layout[];
  readonly layout: Layout | null;
  /** Null where the rows are no cells. */
  readonly selectCells: (() => void) | null;
  readonly formats: readonly RowsFormat[];
  readonly message: string;
  setColumns(from: number): void;
  setLayout(layout: Layout): void;
  setSql(sql: string): void;
  removeFilter(index: number): void;
  goTo(row: number): void;
  copy(): void;
  save(format: RowsFormat): void;
}

const LAYOUT_WORDS: Readonly<Record<Layout, string>> = {
  coordinate: "Coordinates",
  list: "Lists",
  dense: "Rows",
  columns: "Columns",
};

export function TableBar(props: TableBarProps) {
  const { label, shown, all, filters, noConditions, layouts, layout, selectCells, formats, message } = props;
  const isPart = shown !== null && all !== null && (filters.length > 0 || props.sql !== "");
  const count = props.isBeginning
    ? `the first ${many(shown ?? 0)} rows`
    : shown === null
      ? ""
      : isPart
        ? `${many(shown)} of ${many(all)} rows`
        : `${many(shown)} rows`;
  return (
    <div class="table-bar">
      <div class="tool-line">
        <strong class="table-name">{label}</strong>
        <span class="row-count" role="status">
          {count}
        </span>
        {props.columns !== null && <ColumnWindow {...props.columns} set={props.setColumns} />}
        {layouts.length > 1 && (
          <fieldset class="switch" aria-label="Form of the matrix">
            {layouts.map((one) => (
              <button type="button" key={one} aria-pressed={one === layout} onClick={() => props.setLayout(one)}>
                {LAYOUT_WORDS[one]}
              </button>
            ))}
          </fieldset>
        )}
        <span class="spring" />
        <span class="quiet-text" role="status">
          {message}
        </span>
        <GoTo rows={shown ?? 0} goTo={props.goTo} />
        <button type="button" title="Copy the chosen cells (Ctrl+C)" onClick={props.copy}>
          Copy
        </button>
        {formats.length > 0 && (
          <select
            aria-label="Export the rows"
            value=""
            onChange={(event) => {
              const format = formats.find((one) => one === event.currentTarget.value);
              event.currentTarget.value = "";
              if (format !== undefined) props.save(format);
            }}
          >
            <option value="" disabled>
              Export…
            </option>
            {formats.map((format) => (
              <option key={format} value={format}>
                {FORMAT_WORDS[format]}
              </option>
            ))}
          </select>
        )}
      </div>
      {noConditions === null ? (
        <div class="tool-line">
          <SqlCondition sql={props.sql} setSql={props.setSql} key={props.sql} />
          {filters.map((filter, index) => (
            <span class="filter-chip" key={JSON.stringify(filter)}>
              <span>{wordsOfFilter(filter)}</span>
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${wordsOfFilter(filter)}`}
                onClick={() => props.removeFilter(index)}
              >
                ×
              </button>
            </span>
          ))}
          {selectCells !== null && isPart && (
            <button type="button" class="primary" onClick={selectCells}>
              Select these cells
            </button>
          )}
        </div>
      ) : (
        noConditions !== "" && <p class="quiet-text">{noConditions}</p>
      )}
    </div>
  );
}

function SqlCondition({ sql, setSql }: { readonly sql: string; readonly setSql: (sql: string) => void }) {
  const [text, setText] = useState(sql);
  return (
    <form
      class="sql-condition"
      onSubmit={(event) => {
        event.preventDefault();
        setSql(text.trim());
      }}
    >
      <input
        type="search"
        aria-label="Condition in SQL"
        placeholder="Condition in SQL, as n_counts > 1000"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          if (event.currentTarget.value === "") setSql("");
        }}
      />
    </form>
  );
}

function GoTo({ rows, goTo }: { readonly rows: number; readonly goTo: (row: number) => void }) {
  const [text, setText] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const row = Number(text.replaceAll(/[,_\s]/g, ""));
        if (text !== "" && Number.isInteger(row)) goTo(Math.min(Math.max(row, 0), Math.max(rows - 1, 0)));
      }}
    >
      <input
        class="go-to"
        inputMode="numeric"
        aria-label="Go to row"
        placeholder="Go to row"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
}

function many(count: number): string {
  return count.toLocaleString("en");
}

interface ColumnWindowProps {
  readonly from: number;
  readonly most: number;
  readonly all: number;
  set(from: number): void;
}

/** Shows which part of many columns is displayed, with buttons for the adjacent parts. */
function ColumnWindow({ from, most, all, set }: ColumnWindowProps) {
  const end = Math.min(from + most, all);
  return (
    <fieldset class="switch" aria-label="Columns that are shown">
      <button type="button" disabled={from === 0} aria-label="Columns before" onClick={() => set(from - most)}>
        ‹
      </button>
      <span class="quiet-text">
        columns {many(from + 1)} to {many(end)} of {many(all)}
      </span>
      <button type="button" disabled={end === all} aria-label="Columns behind" onClick={() => set(from + most)}>
        ›
      </button>
    </fieldset>
  );
}
