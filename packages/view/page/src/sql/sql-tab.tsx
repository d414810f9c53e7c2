/** The tab `sql`: an editor, and the answer as a table or a chart. */

import type { EditorView } from "@codemirror/view";
import type { RowsFormat } from "annarrow/view";
import { useEffect, useRef, useState } from "preact/hooks";
import { sizeInWords, wordsOf } from "../answers/in-words.js";
import { FailureNote } from "../answers/notes.js";
import type { TabProps } from "../state/view.js";
import { CellDetail, type DetailedCell } from "../table/cell-detail.js";
import { ColumnHead } from "../table/column-head.js";
import { EXPORT_FORMATS, FORMAT_WORDS } from "../table/export-formats.js";
import { Grid, type GridHandle } from "../table/grid.js";
import type { MemoryRows } from "../table/grid-rows.js";
import { AnswerChart } from "./answer-chart.js";
import { makeEditor, setEditorText } from "./editor.js";
import { examplesFor } from "./examples.js";
import { MOST_ROWS, StatementRun } from "./run.js";
import { conditionOf, latestRun, remember, sqlState } from "./sql-state.js";

export function SqlTab({ view, opened }: TabProps) {
  const state = sqlState(view);
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  const isAnswered = view.inputs.calls.includes("sql");
  const latest = latestRun(opened);
  const run = latest.value;

  const start = () => {
    const sql = state.text.peek().trim();
    if (sql === "") return;
    latest.peek()?.cancel();
    remember(state, sql);
    latest.value = new StatementRun(view.connection, opened, sql);
  };
  const put = (sql: string) => {
    if (editor.current === null) return;
    setEditorText(editor.current, sql);
    editor.current.focus();
  };
  const examples = examplesFor(opened.description);
  useEffect(() => {
    if (place.current === null || !isAnswered) return;
    if (state.text.peek() === "") state.text.value = examples[0]?.sql ?? "";
    const made = makeEditor(place.current, {
      text: state.text.peek(),
      schema: schemaOf(opened.description.tables),
      changed: (text) => {
        state.text.value = text;
      },
      run: start,
    });
    editor.current = made;
    return () => made.destroy();
  }, [opened, isAnswered]);

  const isRunning = run?.state.value.state === "running";
  useEffect(() => {
    if (!isRunning) return;
    const listening = new AbortController();
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && run?.cancel();
    window.addEventListener("keydown", onKey, { signal: listening.signal });
    return () => listening.abort();
  }, [isRunning, run]);

  if (!isAnswered)
    return <p class="quiet-text chart-note">SQL needs `annarrow view`, or DuckDB-WASM beside this page.</p>;
  return (
    <div class="sql-tab">
      <div class="sql-top">
        <div class="sql-editor" ref={place} />
        <div class="tool-line">
          <button type="button" class="primary" onClick={start} title="Run (Ctrl+Enter)">
            Run
          </button>
          <button type="button" onClick={() => run?.cancel()} disabled={!isRunning} title="Cancel (Esc)">
            Cancel
          </button>
          <Chooser label="Examples" options={examples.map(({ label, sql }) => [sql, label])} choose={put} />
          <Chooser
            label="History"
            options={state.history.value.map((sql) => [sql, sql.replaceAll(/\s+/g, " ").slice(0, 80)])}
            choose={put}
          />
          <span class="spring" />
          {run !== null && <RunStatus run={run} />}
        </div>
      </div>
      {run !== null && <Answer view={view} opened={opened} run={run} key={run.started} />}
    </div>
  );
}

interface ChooserProps {
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  choose(value: string): void;
}

function Chooser({ label, options, choose }: ChooserProps) {
  return (
    <select
      aria-label={label}
      value=""
      disabled={options.length === 0}
      onChange={(event) => {
        const { value } = event.currentTarget;
        event.currentTarget.value = "";
        choose(value);
      }}
    >
      {/* A browser shows no disabled choice at the start, so the label can be disabled beside others alone. */}
      <option value="" disabled={options.length > 0}>
        {label}
      </option>
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

function RunStatus({ run }: { readonly run: StatementRun }) {
  const state = run.state.value;
  const [, tick] = useState(0);
  const isRunning = state.state === "running";
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => tick((before) => before + 1), 100);
    return () => clearInterval(timer);
  }, [isRunning]);
  const rows = run.rows.value?.rows ?? 0;
  const words = () => {
    switch (state.state) {
      case "running": {
        const seconds = (performance.now() - run.started) / 1000;
        const bytes = state.bytes === 0 ? "" : ` · ${sizeInWords(state.bytes)}`;
        return seconds < 0.3 ? "" : `Running for ${seconds.toFixed(1)} s${bytes}`;
      }
      case "done":
        return `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"} in ${(state.milliseconds / 1000).toFixed(2)} s`;
      case "failed":
        return `Failed after ${(state.milliseconds / 1000).toFixed(2)} s`;
      case "cancelled":
        return "Cancelled";
      default:
        return state satisfies never;
    }
  };
  return (
    <span class="quiet-text" role="status">
      {words()}
    </span>
  );
}

function Answer({ view, opened, run }: TabProps & { readonly run: StatementRun }) {
  const { shown } = sqlState(view);
  const state = run.state.value;
  const rows = run.rows.value;
  const [message, setMessage] = useState("");
  const hasCells = rows?.columns.some(({ label }) => label === "row") ?? false;
  const save = async (format: RowsFormat) => {
    const told = (words: string) => setMessage(`The answer is being saved… ${words}`);
    told("");
    try {
      await view.connection.save(
        { call: "save-answer", input: opened.name, sql: run.sql, format },
        { onSaving: ({ bytes }) => told(bytes === null ? "" : sizeInWords(bytes)) },
      );
      setMessage("");
    } catch (error) {
      setMessage(`The answer cannot be saved: ${wordsOf(error)}`);
    }
  };
  return (
    <div class="sql-answer">
      {state.state === "failed" && <FailureNote message={state.message} />}
      {rows !== null && (
        <div class="tool-line answer-bar">
          <fieldset class="switch" aria-label="Form of the answer">
            {(["table", "chart"] as const).map((one) => (
              <button
                type="button"
                key={one}
                aria-pressed={shown.value === one}
                onClick={() => {
                  shown.value = one;
                }}
              >
                {one === "table" ? "Table" : "Chart"}
              </button>
            ))}
          </fieldset>
          {hasCells && (
            <button
              type="button"
              class="primary"
              onClick={() => opened.selection.add({ by: "filter", mode: "within", filter: conditionOf(run.sql) })}
            >
              Use as selection
            </button>
          )}
          {state.state === "done" && state.isCut && (
            <span class="cut-note">Only the first {MOST_ROWS.toLocaleString("en")} rows, or 256 MiB, are shown.</span>
          )}
          <span class="spring" />
          <span class="quiet-text" role="status">
            {message}
          </span>
          <Chooser
            label="Save as…"
            options={Object.entries(FORMAT_WORDS)}
            choose={(chosen) => {
              const format = EXPORT_FORMATS.find((one) => one === chosen);
              if (format !== undefined) void save(format);
            }}
          />
        </div>
      )}
      {rows !== null &&
        (shown.value === "table" ? <AnswerTable rows={rows} told={setMessage} /> : <AnswerChart rows={rows} />)}
    </div>
  );
}

function AnswerTable({ rows, told }: { readonly rows: MemoryRows; readonly told: (message: string) => void }) {
  const [detail, setDetail] = useState<DetailedCell | null>(null);
  const grid = useRef<GridHandle | null>(null);
  return (
    <>
      <Grid
        rows={rows}
        label="Rows of the answer"
        headHeight={48}
        handle={grid}
        head={(column) => (
          <ColumnHead
            column={column}
            summaries={null}
            sort={null}
            isFiltered={false}
            openFilter={null}
            sortNext={() => {}}
          />
        )}
        openCell={(row, column) => setDetail({ row, column })}
        told={told}
      />
      {detail !== null && <CellDetail cell={detail} rows={rows} close={() => setDetail(null)} />}
    </>
  );
}

function schemaOf(tables: TabProps["opened"]["description"]["tables"]): Record<string, readonly string[]> {
  return Object.fromEntries(
    tables.map(({ name, axis, columns }) => {
      const names = columns.map((column) => column.name);
      return [name, axis === null || names.includes(axis) ? names : [axis, ...names]];
    }),
  );
}
