/** The chart of an answer. */

import { useMemo, useState } from "preact/hooks";
import { Figure } from "../figure/figure.js";
import { Plot, plotSvg } from "../figure/plot.js";
import type { GridColumn } from "../table/column-kind.js";
import type { MemoryRows } from "../table/grid-rows.js";
import { CHARTS, type Chart, type ChartChoice, chartFor, chartPoints, chartValue } from "./chart.js";

/** Maximum number of rows checked to see whether a column is ascending. */
const LOOKED_AT = 10_000;

export function AnswerChart({ rows }: { readonly rows: MemoryRows }) {
  const version = rows.version.value;
  const [chosen, setChosen] = useState<Partial<ChartChoice>>({});
  const byKey = useMemo(() => new Map(rows.columns.map((column) => [column.key, column])), [rows]);
  const valueAt = (row: number, key: string | null): number | string | null => {
    const column = key === null ? undefined : byKey.get(key);
    const found = column === undefined ? null : rows.at(row);
    const vector = column === undefined ? undefined : found?.block.get(column.field);
    if (column === undefined || found === null || vector === undefined) return null;
    return chartValue(vector, found.offset, column);
  };
  const usual = useMemo(() => {
    const isRising = (key: string) => {
      let before = Number.NEGATIVE_INFINITY;
      for (let row = 0; row < Math.min(rows.rows, LOOKED_AT); row++) {
        const value = valueAt(row, key);
        if (typeof value !== "number" || value < before) return false;
        before = value;
      }
      return true;
    };
    return chartFor(rows.columns, rows.rows, isRising);
  }, [rows, version]);
  if (usual === null) return <p class="quiet-text chart-note">A chart needs a column of numbers.</p>;
  const choice: ChartChoice = { ...usual, ...chosen };
  const { points, isSample } = chartPoints(choice, rows.rows, (row, which) => valueAt(row, choice[which]));
  const names = { x: byKey.get(choice.x)?.label ?? "", y: byKey.get(choice.y ?? "")?.label ?? "" };
  return (
    <div class="answer-chart">
      <div class="tool-line">
        <Choice
          label="Chart"
          value={choice.chart}
          options={CHARTS.map((chart) => [chart, chart])}
          set={(chart) => setChosen({ ...chosen, chart: CHARTS.find((one) => one === chart) ?? "bar" })}
        />
        <Choice
          label="x"
          value={choice.x}
          options={columnsOf(rows.columns, choice.chart, "x")}
          set={(x) => setChosen({ ...chosen, x })}
        />
        {choice.chart !== "histogram" && (
          <Choice
            label="y"
            value={choice.y ?? ""}
            options={columnsOf(rows.columns, choice.chart, "y")}
            set={(y) => setChosen({ ...chosen, y })}
          />
        )}
        {isSample && (
          <span class="quiet-text">
            {points.length.toLocaleString("en")} of {rows.rows.toLocaleString("en")} rows
          </span>
        )}
      </div>
      <Figure
        name="answer"
        label={`${choice.chart} of ${names.x}${names.y === "" ? "" : ` and ${names.y}`}`}
        version={JSON.stringify([choice, rows.rows, version])}
        widest={1100}
        draw={(width) => plotSvg(optionsOf(choice.chart, points, names, width))}
      />
    </div>
  );
}

function columnsOf(
  columns: readonly GridColumn[],
  chart: Chart,
  which: "x" | "y",
): readonly (readonly [string, string])[] {
  const isAny = which === "x" && (chart === "bar" || chart === "line");
  return columns.filter(({ kind }) => isAny || kind === "number").map(({ key, label }) => [key, label]);
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  set(value: string): void;
}

function Choice({ label, value, options, set }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {options.map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

type Points = ReturnType<typeof chartPoints>["points"];

function optionsOf(chart: Chart, points: Points, names: { x: string; y: string }, width: number): Plot.PlotOptions {
  const fill = "var(--bar-chosen)";
  const data = [...points];
  const channels = { x: "x", y: "y" } as const;
  const common = { width, height: 320, marginLeft: 64, x: { label: names.x }, y: { label: names.y, grid: true } };
  switch (chart) {
    case "bar": {
      const longest = Math.max(...data.map(({ x }) => String(x).length), 1);
      return {
        ...{ width, height: 40 + 22 * data.length, marginLeft: Math.min(longest * 6.5 + 16, width / 2) },
        x: { label: names.y, grid: true },
        y: { label: null, domain: data.map(({ x }) => x) },
        marks: [
          Plot.barX(data, { x: "y", y: "x", fill, title: ({ x, y }) => `${x}: ${y}` }),
          Plot.ruleX([0], { stroke: "var(--quiet)" }),
        ],
      };
    }
    case "line": {
      const isText = data.some(({ x }) => typeof x === "string");
      const order = isText ? { domain: data.map(({ x }) => x), type: "point" as const, ticks: 8 } : {};
      return { ...common, x: { label: names.x, ...order }, marks: [Plot.lineY(data, { ...channels, stroke: fill })] };
    }
    case "scatter":
      return { ...common, marks: [Plot.dot(data, { ...channels, r: 2, fill, fillOpacity: 0.6 })] };
    case "histogram":
      return {
        ...common,
        y: { label: "rows", grid: true },
        marks: [
          Plot.rectY(data, Plot.binX<Plot.RectYOptions>({ y: "count" }, { x: "x", fill })),
          Plot.ruleY([0], { stroke: "var(--quiet)" }),
        ],
      };
    default:
      return chart satisfies never;
  }
}
