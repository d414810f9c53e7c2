/** Categories with colours and counts. A click selects only one; Shift or Ctrl adds or removes it. */

import { useState } from "preact/hooks";
import { useAnswer } from "../../answers/use-answer.js";
import type { CellSelection, SelectionStep } from "../../selection/cell-selection.js";
import { missingColour } from "../canvas/point-style.js";
import { cssColour } from "../colours/category-colours.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";
import { type CategoryColours, countCodes } from "../plot/point-colours.js";

/** Maximum number of categories listed at once. */
const LISTED = 200;

export function CategoryLegend({ plot, colours }: { readonly plot: EmbeddingPlot; readonly colours: CategoryColours }) {
  const [most, setMost] = useState(LISTED);
  const { selection } = plot.opened;
  const mask = selection.mask.value;
  const { codes, categories, counts } = colours;
  const selected = useAnswer(
    "counts",
    async (asked) => (mask === null ? counts : countCodes({ kind: "codes", codes, categories }, mask, asked)),
    [mask, colours],
  );
  const chosen = valuesOfLast(selection, colours.column);
  const entries: { code: number; value: string | null }[] = [...categories.keys()].map((code) => ({
    code,
    value: categories[code] ?? null,
  }));
  if ((counts[categories.length] ?? 0) > 0) entries.push({ code: categories.length, value: null });
  return (
    <section aria-label={`Legend: ${colours.title}`}>
      <h3>
        <bdi>{colours.title}</bdi>
      </h3>
      <ul class="categories">
        {entries.slice(0, most).map(({ code, value }) => {
          const total = counts[code] ?? 0;
          const kept = selected.state === "ready" && mask !== null ? (selected.value[code] ?? 0) : total;
          const colour = colours.colours[code] ?? missingColour(plot.isDark.value);
          return (
            <li key={code}>
              <button
                type="button"
                class={kept === 0 ? "quiet is-empty" : "quiet"}
                aria-pressed={chosen?.includes(value) ?? false}
                title="Keep these cells; with Shift, these too"
                onClick={(event) =>
                  choose(selection, colours.column, value, event.shiftKey || event.ctrlKey || event.metaKey)
                }
              >
                <span class="swatch" style={{ background: cssColour(colour) }} aria-hidden="true" />
                <bdi class={value === null ? "quiet-text" : ""}>{value ?? "missing"}</bdi>
                <span class="count">
                  {kept === total ? "" : `${kept.toLocaleString("en")} / `}
                  {total.toLocaleString("en")}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      {entries.length > most && (
        <button type="button" onClick={() => setMost(most + 5 * LISTED)}>
          {(entries.length - most).toLocaleString("en")} more
        </button>
      )}
    </section>
  );
}

type Values = readonly (string | null)[];

/** Returns the values of the last step, if it selects by this column. */
function valuesOfLast(selection: CellSelection, column: string): Values | null {
  const last = selection.steps.value.at(-1);
  return last?.by === "values" && last.column === column ? last.values : null;
}

function choose(selection: CellSelection, column: string, value: string | null, isFurther: boolean): void {
  const before = valuesOfLast(selection, column);
  const step = (values: Values): SelectionStep => ({ by: "values", mode: "within", column, values: [...values] });
  if (before === null) {
    selection.add(step([value]));
    return;
  }
  const isChosen = before.includes(value);
  const others = before.filter((one) => one !== value);
  const next = isFurther ? (isChosen ? others : [...before, value]) : isChosen && others.length === 0 ? [] : [value];
  if (next.length === 0) selection.undo();
  else selection.replaceLast(step(next));
}
