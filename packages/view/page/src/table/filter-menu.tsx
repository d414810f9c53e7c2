/** Dialog at a column header with the filters of this column. */

import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "../answers/use-answer.js";
import { visible } from "./cell-text.js";
import { briefNumber } from "./column-head.js";
import type { GridColumn } from "./column-kind.js";
import type { ColumnSummaries, ColumnSummary } from "./column-summary.js";
import type { Filter } from "./filters.js";

export interface FilterMenuProps {
  readonly column: GridColumn;
  readonly anchor: DOMRect;
  /** Null before rows are shown. */
  readonly summaries: ColumnSummaries | null;
  readonly filter: Filter | null;
  /** Applies a filter; null removes it. */
  apply(filter: Filter | null): void;
  close(): void;
}

interface FormProps extends Pick<FilterMenuProps, "column" | "filter" | "apply"> {
  readonly summary: ColumnSummary | null;
  /** Reason why there is no summary. */
  readonly waiting: string | null;
}

/** Maximum number of categories listed; the search finds the rest. */
const LISTED = 200;
const WIDTH = 290;

export function FilterMenu(props: FilterMenuProps) {
  const { column, anchor, close, apply } = props;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current: menu } = element;
    if (menu === null) return;
    const onToggle = (event: ToggleEvent) => event.newState === "closed" && close();
    menu.addEventListener("toggle", onToggle);
    menu.showPopover();
    menu.querySelector<HTMLElement>("input")?.focus();
    return () => menu.removeEventListener("toggle", onToggle);
  }, []);
  const left = Math.max(Math.min(anchor.right - WIDTH, window.innerWidth - WIDTH - 8), 8);
  return (
    <div
      ref={element}
      popover="auto"
      role="dialog"
      aria-label={`Filter by ${column.label}`}
      class="filter-menu"
      style={{ left: `${left}px`, top: `${anchor.bottom + 4}px`, width: `${WIDTH}px` }}
    >
      <FilterForm
        {...props}
        apply={(filter) => {
          apply(filter);
          close();
        }}
      />
    </div>
  );
}

function FilterForm({ column, summaries, filter, apply }: FilterMenuProps) {
  // The menu may be opened before the head of the column has its summary.
  const answer = useAnswer(
    summaries?.has(column) ? column.key : null,
    (signal) => (summaries === null ? Promise.reject() : summaries.read(column, signal)),
    [summaries],
  );
  const summary = summaries?.known(column) ?? (answer.state === "ready" ? answer.value : null);
  const hasSummary = summaries?.has(column) ?? true;
  const waiting = answer.state === "failed" ? answer.message : hasSummary ? "The values are being read…" : null;
  const props: FormProps = { column, filter, apply, summary, waiting: summary === null ? waiting : null };
  if (column.kind === "number") return <RangeForm {...props} />;
  const isShort = summary?.kind === "counts" && summary.counts.length <= 50;
  // The form depends on the values of a text column.
  if (column.kind !== "text" || isShort || (summary === null && answer.state === "pending" && hasSummary))
    return <ValuesForm {...props} />;
  return <ContainsForm {...props} />;
}

function Buttons({ clear }: { readonly clear: () => void }) {
  return (
    <div class="tool-line">
      <button type="submit" class="primary">
        Apply
      </button>
      <button type="button" onClick={clear}>
        Clear
      </button>
    </div>
  );
}

function RangeForm({ column, summary, filter, apply }: FormProps) {
  const range = filter?.by === "range" ? filter : null;
  const [least, setLeast] = useState(range?.least?.toString() ?? "");
  const [most, setMost] = useState(range?.most?.toString() ?? "");
  const numbers = summary?.kind === "numbers" ? summary : null;
  const submit = (event: Event) => {
    event.preventDefault();
    apply({ by: "range", column: column.field, least: endOf(least), most: endOf(most) });
  };
  return (
    <form onSubmit={submit}>
      <div class="range-ends">
        <input
          type="number"
          step="any"
          aria-label="At least"
          placeholder={numbers === null ? "at least" : briefNumber(numbers.least)}
          value={least}
          onInput={(event) => setLeast(event.currentTarget.value)}
        />
        <span>to</span>
        <input
          type="number"
          step="any"
          aria-label="At most"
          placeholder={numbers === null ? "at most" : briefNumber(numbers.greatest)}
          value={most}
          onInput={(event) => setMost(event.currentTarget.value)}
        />
      </div>
      <p class="quiet-text">Both ends belong to the range. Without ends: rows that have a value.</p>
      <Buttons clear={() => apply(null)} />
    </form>
  );
}

function endOf(text: string): number | null {
  const value = Number(text);
  return text.trim() === "" || !Number.isFinite(value) ? null : value;
}

function ContainsForm({ column, filter, apply }: FormProps) {
  const [text, setText] = useState(filter?.by === "contains" ? filter.text : "");
  const submit = (event: Event) => {
    event.preventDefault();
    apply(text === "" ? null : { by: "contains", column: column.field, text });
  };
  return (
    <form onSubmit={submit}>
      <input
        type="search"
        aria-label="Text that the value contains"
        placeholder="contains…"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Buttons clear={() => apply(null)} />
    </form>
  );
}

function ValuesForm({ column, summary, waiting, filter, apply }: FormProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string | null>>(
    new Set(filter?.by === "values" ? filter.values : []),
  );
  const [search, setSearch] = useState("");
  const counts = summary?.kind === "counts" ? summary : null;
  const missing: readonly { label: string | null; count: number }[] =
    counts !== null && counts.missing > 0 ? [{ label: null, count: counts.missing }] : [];
  const wanted = search.toLowerCase();
  const all = [...(counts?.counts ?? []), ...missing].filter(({ label }) =>
    (label ?? "null").toLowerCase().includes(wanted),
  );
  const submit = (event: Event) => {
    event.preventDefault();
    apply(chosen.size === 0 ? null : { by: "values", column: column.field, values: [...chosen] });
  };
  const toggle = (label: string | null) => {
    const next = new Set(chosen);
    if (!next.delete(label)) next.add(label);
    setChosen(next);
  };
  return (
    <form onSubmit={submit}>
      {(counts?.counts.length ?? 0) > 8 && (
        <input
          type="search"
          aria-label="Search values"
          placeholder="Search values"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {waiting !== null && <p class="quiet-text">{waiting}</p>}
      <div class="value-list">
        {all.slice(0, LISTED).map(({ label, count }) => (
          <label key={label ?? "missing"}>
            <input type="checkbox" checked={chosen.has(label)} onChange={() => toggle(label)} />
            <span class={label === null ? "null" : "value-label"}>{label === null ? "null" : visible(label)}</span>
            <span class="value-count">{count.toLocaleString("en")}</span>
          </label>
        ))}
      </div>
      {all.length > LISTED && <p class="quiet-text">{(all.length - LISTED).toLocaleString("en")} more: search them.</p>}
      <Buttons clear={() => apply(null)} />
    </form>
  );
}
