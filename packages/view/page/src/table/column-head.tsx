/** Column header: name (click to sort), type, and summary of the values. */

import { useRef } from "preact/hooks";
import { useAnswer } from "../answers/use-answer.js";
import { visible } from "./cell-text.js";
import type { GridColumn } from "./column-kind.js";
import type { ColumnSummaries, ColumnSummary } from "./column-summary.js";

export interface ColumnHeadProps {
  readonly column: GridColumn;
  readonly summaries: ColumnSummaries | null;
  /** Null where the table cannot be sorted by this column. */
  readonly sort: "asc" | "desc" | "none" | null;
  readonly isFiltered: boolean;
  /** Null where rows cannot be filtered by this column. */
  readonly openFilter: ((anchor: DOMRect) => void) | null;
  sortNext(): void;
}

const ARROWS = { asc: "↑", desc: "↓", none: "" } as const;

export function ColumnHead(props: ColumnHeadProps) {
  const { column, summaries, sort, isFiltered, openFilter, sortNext } = props;
  const button = useRef<HTMLButtonElement>(null);
  const name = visible(column.label);
  return (
    <div class="column-head">
      <div class="column-name">
        {sort === null ? (
          <span class="column-label" title={name}>
            {name}
          </span>
        ) : (
          <button type="button" class="column-label" title={`${name}: sort`} onClick={sortNext}>
            <span>{name}</span>
            {sort !== "none" && (
              <span class="sort-arrow" aria-hidden="true">
                {ARROWS[sort]}
              </span>
            )}
          </button>
        )}
        {openFilter !== null && (
          <button
            type="button"
            ref={button}
            class={`column-filter${isFiltered ? " on" : ""}`}
            aria-label={`Filter by ${name}`}
            aria-haspopup="dialog"
            title={`Filter by ${name}`}
            onClick={() => button.current !== null && openFilter(button.current.getBoundingClientRect())}
          >
            <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
              <path
                d="M1.5 2.5h9L7 6.8v3.4L5 9V6.8z"
                fill={isFiltered ? "currentColor" : "none"}
                stroke="currentColor"
              />
            </svg>
          </button>
        )}
      </div>
      <div class="column-type">{typeWords(column.type)}</div>
      {summaries?.has(column) && <Summary column={column} summaries={summaries} />}
    </div>
  );
}

function Summary({ column, summaries }: { readonly column: GridColumn; readonly summaries: ColumnSummaries }) {
  const known = summaries.known(column);
  const answer = useAnswer(known === null ? column.key : null, (signal) => summaries.read(column, signal));
  const summary = known ?? (answer.state === "ready" ? answer.value : null);
  if (answer.state === "failed") {
    return (
      <div class="column-summary quiet-text" title={answer.message}>
        no summary
      </div>
    );
  }
  if (summary === null) return <div class="column-summary" />;
  return (
    <div class="column-summary" title={wordsOfSummary(summary)}>
      {summary.kind === "numbers" ? <NumberBars summary={summary} /> : <CategoryBar summary={summary} />}
    </div>
  );
}

function NumberBars({ summary }: { readonly summary: ColumnSummary & { kind: "numbers" } }) {
  const { counts, least, greatest, sample } = summary;
  if (counts.length === 0) return <span class="quiet-text">no numbers</span>;
  const most = Math.max(...counts);
  return (
    <>
      <svg viewBox={`0 0 ${counts.length} 20`} preserveAspectRatio="none" class="bars" aria-hidden="true">
        {counts.map((count, index) => {
          const height = count === 0 ? 0 : Math.max((20 * count) / most, 0.7);
          return <rect key={`bin ${index}`} x={index + 0.08} y={20 - height} width={0.84} height={height} />;
        })}
      </svg>
      <span class="extent">
        <span>{briefNumber(least)}</span>
        {sample !== null && <span>sample</span>}
        <span>{briefNumber(greatest)}</span>
      </span>
    </>
  );
}

function CategoryBar({ summary }: { readonly summary: ColumnSummary & { kind: "counts" } }) {
  const { counts, missing } = summary;
  const all = counts.reduce((sum, { count }) => sum + count, missing);
  const shown = counts.slice(0, 12);
  const isDistinct = counts.length > 1 && counts[0].count === 1;
  const words = isDistinct
    ? "all different"
    : `${counts.length.toLocaleString("en")} ${counts.length === 1 ? "value" : "values"}`;
  let start = 0;
  return (
    <>
      <svg viewBox="0 0 100 20" preserveAspectRatio="none" class="bars" aria-hidden="true">
        {!isDistinct &&
          shown.map(({ label, count }, index) => {
            const x = start;
            const width = (100 * count) / Math.max(all, 1);
            start += width;
            return (
              <rect key={label} x={x} y={4} width={Math.max(width - 0.6, 0.2)} height={16} opacity={1 - index * 0.06} />
            );
          })}
      </svg>
      <span class="extent">
        <span>{words}</span>
        {missing > 0 && <span>{missing.toLocaleString("en")} null</span>}
      </span>
    </>
  );
}

function wordsOfSummary(summary: ColumnSummary): string {
  const lines =
    summary.kind === "numbers"
      ? [`${briefNumber(summary.least)} to ${briefNumber(summary.greatest)}`]
      : summary.counts.slice(0, 12).map(({ label, count }) => `${visible(label)}: ${count.toLocaleString("en")}`);
  if (summary.missing > 0) lines.push(`missing: ${summary.missing.toLocaleString("en")}`);
  if (summary.sample !== null) lines.push(`of a sample of ${summary.sample.toLocaleString("en")} rows`);
  return lines.join("\n");
}

export function briefNumber(value: number): string {
  if (Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e9)) return value.toExponential(2);
  return value.toLocaleString("en", { maximumSignificantDigits: size >= 1000 ? 9 : 4, maximumFractionDigits: 4 });
}

/** Describes an Arrow type for users. */
function typeWords(type: string): string {
  const category = /^Dictionary<[^,]*, *(.*)>$/.exec(type);
  if (category !== null) return category[1] === "Utf8" ? "category" : `category of ${typeWords(category[1])}`;
  return { Utf8: "text", LargeUtf8: "text", Bool: "bool" }[type] ?? type.toLowerCase();
}
