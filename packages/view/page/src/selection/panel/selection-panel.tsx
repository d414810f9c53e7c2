/** Panel of the selection: number of cells and genes, steps, and file formats for saving. */

import { useMemo } from "preact/hooks";
import { FailureNote } from "../../answers/notes.js";
import type { TabProps } from "../../state/view.js";
import type { CellSelection } from "../cell-selection.js";
import { countMask } from "../mask-bits.js";
import { stepWords } from "../step-words.js";
import { GenePanel } from "./gene-panel.js";
import { SavePanel } from "./save-panel.js";

export function SelectionPanel({ view, opened }: TabProps) {
  const { selection, description } = opened;
  if (description.shape === null) return <p class="quiet-text">This file has no cells to select.</p>;
  return (
    <div class="selection">
      <CellCount selection={selection} cells={description.shape[0]} />
      {selection.failure.value !== null && <FailureNote message={selection.failure.value} />}
      <Steps selection={selection} />
      <GenePanel opened={opened} />
      <SavePanel view={view} opened={opened} />
    </div>
  );
}

function CellCount({ selection, cells }: { readonly selection: CellSelection; readonly cells: number }) {
  const mask = selection.mask.value;
  const count = useMemo(() => (mask === null ? cells : countMask(mask)), [mask, cells]);
  return (
    <section>
      <h2>Cells</h2>
      <p class="selection-count" aria-live="polite" aria-busy={selection.isEvaluating.value}>
        <strong>{count.toLocaleString("en")}</strong>{" "}
        {count === cells ? "cells, all" : `of ${cells.toLocaleString("en")} cells`}
      </p>
      <progress class="selection-share" max={cells} value={count} aria-label="Share of the cells" />
    </section>
  );
}

function Steps({ selection }: { readonly selection: CellSelection }) {
  const steps = selection.steps.value;
  return (
    <section aria-label="Steps">
      {steps.length === 0 && <p class="quiet-text">Draw a lasso in the embedding, or choose categories in a legend.</p>}
      <ol class="steps">
        {steps.map((step, at) => {
          const words = stepWords(step);
          return (
            <li key={`${at} ${words}`}>
              <bdi title={words}>{words}</bdi>
              <button
                type="button"
                class="quiet"
                aria-label={`Remove the step: ${words}`}
                onClick={() => selection.remove(at)}
              >
                ×
              </button>
            </li>
          );
        })}
      </ol>
      <div class="tool-line">
        <button type="button" disabled={steps.length === 0} onClick={() => selection.undo()}>
          Undo
        </button>
        <button type="button" onClick={() => selection.add({ by: "invert" })}>
          Invert
        </button>
        <button type="button" disabled={steps.length === 0} onClick={() => selection.clear()}>
          Clear
        </button>
      </div>
    </section>
  );
}
