/** The example file as h5wasm reads it, to compare what the page shows and saves. */

import { writeFileSync } from "node:fs";
import h5wasm, { type Dataset, File } from "h5wasm/node";

export interface Cells {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly counts: readonly number[];
  readonly places: readonly (readonly [number, number])[];
  /** Sum of the entries of `X` of each cell. */
  readonly sums: readonly number[];
  /** Values of `X` of a gene. */
  gene(position: number): readonly number[];
}

/** Reads an `.h5ad` with the columns of the example. */
export async function readCells(path: string): Promise<Cells> {
  await h5wasm.ready;
  const file = new File(path, "r");
  try {
    const array = (name: string): unknown[] => {
      const found = file.get(name);
      if (found === null || !("to_array" in found)) throw new Error(`${path} has no ${name}`);
      return Array.from(flat(found));
    };
    const numbers = (name: string) => array(name).map(Number);
    const categories = array("obs/cell_type/categories").map(String);
    const [indptr, indices, data] = ["X/indptr", "X/indices", "X/data"].map(numbers) as [number[], number[], number[]];
    const umap = numbers("obsm/X_umap");
    const cells = indptr.length - 1;
    const rows = Array.from({ length: cells }, (_, at) => [indptr[at] ?? 0, indptr[at + 1] ?? 0] as const);
    return {
      names: array("obs/_index").map(String),
      types: numbers("obs/cell_type/codes").map((code) => categories[code] ?? "missing"),
      counts: numbers("obs/n_counts"),
      places: rows.map((_, at) => [umap[2 * at] ?? 0, umap[2 * at + 1] ?? 0] as const),
      sums: rows.map(([from, to]) => data.slice(from, to).reduce((sum, value) => sum + value, 0)),
      gene: (position) =>
        rows.map(([from, to]) => {
          const at = indices.slice(from, to).indexOf(position);
          return at === -1 ? 0 : (data[from + at] ?? 0);
        }),
    };
  } finally {
    file.close();
  }
}

function flat(dataset: Dataset): ArrayLike<unknown> {
  const { value } = dataset;
  if (typeof value !== "object" || value === null || !("length" in value)) throw new TypeError("no array");
  return value;
}

/** Reads bytes as such a file. */
export async function readCellsOf(bytes: Uint8Array, path: string): Promise<Cells> {
  writeFileSync(path, bytes);
  return readCells(path);
}
