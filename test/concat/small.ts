/** Files of few cells and genes, to be put together. */

import { type Table, tableFromArrays, vectorFromArray } from "apache-arrow";
import { write } from "../../packages/published/src/node.js";
import { place } from "../formats/conversion/opened.js";

export interface Small {
  readonly cells: readonly string[];
  readonly genes: readonly string[];
  /** [row, column, value] */
  readonly entries: readonly (readonly [number, number, number])[];
  readonly obs?: Record<string, Parameters<typeof vectorFromArray>[0]>;
}

/** A path with a dataset of float32 entries. */
export async function file({ cells, genes, entries, obs = {} }: Small, extension = "h5ad"): Promise<string> {
  const path = place(extension);
  const columns = Object.entries(obs).map(([name, values]) => [name, vectorFromArray(values)] as const);
  await write(
    path,
    {
      obs: frame(cells, Object.fromEntries(columns)),
      var: frame(genes, {}),
      X: tableFromArrays({
        row: Int32Array.from(entries, ([row]) => row),
        col: Int32Array.from(entries, ([, col]) => col),
        value: Float32Array.from(entries, ([, , value]) => value),
      }),
    },
    { index: { obs: "_index", var: "_index" } },
  );
  return path;
}

function frame(names: readonly string[], columns: Record<string, ReturnType<typeof vectorFromArray>>): Table {
  return tableFromArrays({ _index: [...names], ...columns });
}

export const A: Small = {
  cells: ["a1", "a2"],
  genes: ["g1", "g2", "g3"],
  entries: [
    [0, 0, 1],
    [0, 2, 2],
    [1, 1, 3],
  ],
};
export const B: Small = {
  cells: ["b1"],
  genes: ["g3", "g4", "g1"],
  entries: [
    [0, 0, 4],
    [0, 1, 5],
    [0, 2, 6],
  ],
};
