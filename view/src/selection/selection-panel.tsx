/** The selection: how many cells and genes, its steps, and the files that it becomes. */

import type { TabProps } from "../shell/app.js";

export function SelectionPanel({ opened }: TabProps) {
  const cells = opened.description.shape?.[0] ?? 0;
  const mask = opened.selection.mask.value;
  const selected = mask === null ? cells : mask.reduce((sum, one) => sum + one, 0);
  return (
    <>
      <h2>Selection</h2>
      <p>
        {selected.toLocaleString("en")} of {cells.toLocaleString("en")} cells
      </p>
    </>
  );
}
