/** The tab `quality`: distributions of the columns of `obs`, over all cells and over the selected cells. */

import type { ViewColumn } from "annarrow/view";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Guard } from "../answers/notes.js";
import { useStoredColours } from "../figure/stored-colours.js";
import type { TabProps } from "../state/view.js";
import { columnKind } from "../table/column-kind.js";
import { ColumnCard } from "./column-card.js";
import { qualityState } from "./quality-state.js";

export function QualityTab({ view, opened }: TabProps) {
  const { by } = qualityState(view);
  const coloursOf = useStoredColours(opened);
  const obs = opened.description.tables.find(({ name }) => name === "obs");
  if (obs === undefined) return <p class="quiet-text chart-note">This file has no table of cells.</p>;
  const columns = obs.columns.filter(({ name }) => name !== obs.index);
  const isCategory = ({ type }: ViewColumn) => ["category", "boolean"].includes(columnKind(type));
  const numbers = columns.filter(({ type }) => columnKind(type) === "number");
  const categories = columns.filter(isCategory);
  const split = categories.find(({ name }) => name === by.value)?.name ?? "";
  if (numbers.length + categories.length === 0) {
    return <p class="quiet-text chart-note">The table of cells has no numbers and no categories.</p>;
  }
  const mask = opened.selection.mask.value;
  return (
    <div class="quality-tab">
      <div class="tool-line">
        <label>
          Numbers by
          <select
            value={split}
            onChange={(event) => {
              by.value = event.currentTarget.value;
            }}
          >
            <option value="">all cells</option>
            {categories.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {mask !== null && (
          <span class="quality-key">
            <span class="key-all" /> all cells <span class="key-selected" /> selected cells
          </span>
        )}
        <span class="quiet-text">Draw a range over a histogram, or press a bar, to select cells.</span>
      </div>
      <div class="cards">
        {[...numbers, ...categories].map((column) => (
          <Lazy key={column.name}>
            <Guard>
              <ColumnCard view={view} opened={opened} column={column} by={split} coloursOf={coloursOf} />
            </Guard>
          </Lazy>
        ))}
      </div>
    </div>
  );
}

/** Renders its content when it comes near the visible area: a table may have hundreds of columns. */
function Lazy({ children }: { readonly children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const { current: element } = place;
    if (element === null || isSeen) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setSeen(true);
      },
      { rootMargin: "300px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return (
    <div class="card-place" ref={place}>
      {isSeen && children}
    </div>
  );
}
