/** Explains the colours of the plot. */

import { FailureNote } from "../../answers/notes.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";
import { CategoryLegend } from "./category-legend.js";
import { CompanionOffer } from "./companion-offer.js";
import { NumberLegend } from "./number-legend.js";
import { ReadingNote } from "./reading-note.js";

export function Legend({ plot }: { readonly plot: EmbeddingPlot }) {
  const colours = plot.shown.value;
  const groups = plot.groups.value;
  return (
    <div class="legend">
      <ReadingNote progress={plot.progress.value} />
      {Object.entries(plot.failures.value).map(([name, message]) => (
        <FailureNote key={name} message={message} />
      ))}
      {colours.kind === "categories" && <CategoryLegend plot={plot} colours={colours} key={colours.column} />}
      {colours.kind === "numbers" && <NumberLegend plot={plot} colours={colours} key={colours.title} />}
      {plot.isSlow.value && <CompanionOffer plot={plot} />}
      {groups !== null && groups.left > 0 && (
        <p class="quiet-text">{groups.left.toLocaleString("en")} smaller categories have no panel.</p>
      )}
    </div>
  );
}
