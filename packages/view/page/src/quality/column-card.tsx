/** Distribution of a column of `obs`, in which the user selects a part. */

import type { ViewColumn } from "annarrow/view";
import { useState } from "preact/hooks";
import { FailureNote, PendingNote } from "../answers/notes.js";
import { useAnswer } from "../answers/use-answer.js";
import type { CellValues } from "../data/cell-values.js";
import { Figure } from "../figure/figure.js";
import type { TabProps } from "../state/view.js";
import { briefNumber } from "../table/column-head.js";
import { addBrush } from "./brush.js";
import { type ColumnCounts, countColumn } from "./column-counts.js";
import { drawBoxes, drawCategories, drawHistogram } from "./quality-figures.js";
import { type Box, boxesOf } from "./quartiles.js";

export interface ColumnCardProps extends TabProps {
  readonly column: ViewColumn;
  /** Categorical column that splits numbers; empty for none. */
  readonly by: string;
  /** Returns the category colours of a column. */
  readonly coloursOf: (column: string) => ReadonlyMap<string, string> | null;
}

interface Distribution {
  readonly counts: ColumnCounts;
  readonly boxes: readonly Box[] | null;
}

export function ColumnCard({ opened, column, by, coloursOf }: ColumnCardProps) {
  const mask = opened.selection.mask.value;
  const [masks] = useState({ latest: mask, number: 0 });
  if (masks.latest !== mask) {
    masks.latest = mask;
    masks.number++;
  }
  const { name } = column;
  const answer = useAnswer<Distribution>(`${name} ${masks.number} ${by}`, async (signal) => {
    const values = await opened.columns.values("obs", name, signal);
    const counts = await countColumn(values, mask, signal);
    const isSplit = by !== "" && by !== name && values.kind === "numbers";
    const groups: CellValues | null = isSplit ? await opened.columns.values("obs", by, signal) : null;
    const boxes =
      values.kind === "numbers" && groups?.kind === "codes"
        ? boxesOf(values.values, groups.codes, groups.categories, mask)
        : null;
    return { counts, boxes };
  });
  return (
    <article class="column-card">
      <h3 title={name}>
        <bdi>{name}</bdi>
      </h3>
      {answer.state === "pending" && <PendingNote />}
      {answer.state === "failed" && <FailureNote message={answer.message} retry={answer.retry} />}
      {answer.state === "ready" && (
        <Shown opened={opened} name={name} by={by} distribution={answer.value} coloursOf={coloursOf} />
      )}
    </article>
  );
}

interface ShownProps extends Pick<ColumnCardProps, "opened" | "by" | "coloursOf"> {
  readonly name: string;
  readonly distribution: Distribution;
}

function Shown({ opened, name, by, distribution, coloursOf }: ShownProps) {
  const { counts, boxes } = distribution;
  const { selection } = opened;
  if (counts.kind === "categories") {
    const choose = (event: MouseEvent) => {
      const figure = event.currentTarget;
      if (!(figure instanceof SVGSVGElement)) return;
      const box = figure.getBoundingClientRect();
      const y = ((event.clientY - box.top) * figure.viewBox.baseVal.height) / box.height;
      const label = counts.labels[Math.floor((y - 4) / ((figure.viewBox.baseVal.height - 8) / counts.labels.length))];
      if (label !== undefined) selection.add({ by: "values", mode: "within", column: name, values: [label] });
    };
    return (
      <>
        <Figure
          name={`${opened.name} ${name}`}
          label={`Cells by ${name}`}
          version={distribution}
          draw={(width) => {
            const svg = drawCategories(counts, coloursOf(name), width);
            svg.classList.add("pressed");
            svg.addEventListener("click", choose);
            return svg;
          }}
        />
        {counts.others > 0 && <p class="quiet-text">{counts.others.toLocaleString("en")} values with fewer cells</p>}
        <ValueButtons
          labels={counts.labels}
          choose={(label) => selection.add({ by: "values", mode: "within", column: name, values: [label] })}
        />
      </>
    );
  }
  const { extent } = counts;
  if (counts.bins.bins === 0) return <p class="quiet-text">No numbers.</p>;
  const missing = [
    extent.missing > 0 ? `${extent.missing.toLocaleString("en")} missing` : "",
    extent.infinite > 0 ? `${extent.infinite.toLocaleString("en")} infinite` : "",
  ].filter(Boolean);
  return (
    <>
      <Figure
        name={`${opened.name} ${name}`}
        label={`Distribution of ${name}`}
        version={distribution}
        draw={(width) => {
          const { svg, axis } = drawHistogram(counts, width);
          addBrush(svg, axis, (range) =>
            selection.add({ by: "range", mode: "within", column: name, range: [...range] }),
          );
          return svg;
        }}
      />
      <RangeForm
        {...{ name, extent }}
        choose={(range) => selection.add({ by: "range", mode: "within", column: name, range: [...range] })}
      />
      {missing.length > 0 && <p class="quiet-text">{missing.join(", ")}</p>}
      {boxes !== null && (
        <Figure
          name={`${opened.name} ${name} by ${by}`}
          label={`${name} by ${by}`}
          version={distribution}
          draw={(width) => drawBoxes(boxes, coloursOf(by), width)}
        />
      )}
    </>
  );
}

interface RangeFormProps {
  readonly name: string;
  readonly extent: { readonly least: number; readonly greatest: number };
  choose(range: readonly [number, number]): void;
}

/** Keyboard alternative to the brush for entering a range. */
function RangeForm({ name, extent, choose }: RangeFormProps) {
  const [ends, setEnds] = useState<readonly [string, string]>(["", ""]);
  const [least, most] = [
    ends[0] === "" ? extent.least : Number(ends[0]),
    ends[1] === "" ? extent.greatest : Number(ends[1]),
  ];
  return (
    <form
      class="range-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (Number.isFinite(least) && Number.isFinite(most)) choose([least, most]);
      }}
    >
      <input
        type="number"
        step="any"
        aria-label={`${name}, at least`}
        placeholder={briefNumber(extent.least)}
        value={ends[0]}
        onInput={(event) => setEnds([event.currentTarget.value, ends[1]])}
      />
      <span>to</span>
      <input
        type="number"
        step="any"
        aria-label={`${name}, at most`}
        placeholder={briefNumber(extent.greatest)}
        value={ends[1]}
        onInput={(event) => setEnds([ends[0], event.currentTarget.value])}
      />
      <button type="submit" disabled={ends[0] === "" && ends[1] === ""}>
        Select
      </button>
    </form>
  );
}

interface ValueButtonsProps {
  readonly labels: readonly (string | null)[];
  choose(label: string | null): void;
}

/** Accessible alternative to clicking bars, for keyboards and screen readers. */
function ValueButtons({ labels, choose }: ValueButtonsProps) {
  return (
    <details class="value-buttons">
      <summary>Select by value</summary>
      {labels.map((label) => (
        <button type="button" key={label ?? "missing"} onClick={() => choose(label)}>
          {label ?? "null"}
        </button>
      ))}
    </details>
  );
}
