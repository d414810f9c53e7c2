/** Which tables have coordinates of the cells, and which. */

import type { ViewColumn, ViewDescription, ViewTable } from "annarrow/view";

const NUMBER = /^(?:Uint|Int|Float)\d+$/;
const NUMBERS = /^FixedSizeList\[(\d+)\]<(?:Uint|Int|Float)\d+>$/;

/** True for a column of numbers. */
export const isNumeric = ({ type }: ViewColumn): boolean => NUMBER.test(type);

/** The names of the coordinates of a table, in order. */
export function coordinatesIn(table: ViewTable): readonly string[] {
  return table.columns.flatMap((column) => {
    if (isNumeric(column)) return [column.name];
    const length = Number(NUMBERS.exec(column.type)?.[1] ?? 0);
    return Array.from({ length }, (_, at) => `${column.name}[${at}]`);
  });
}

/** Tables with at least two coordinates of each cell: those of `obsm`, the usual pictures first, then `obs`. */
export function plottedTables(description: ViewDescription): readonly ViewTable[] {
  const usual = ["umap", "tsne", "phate", "diffmap", "spatial", "pca"];
  const rank = ({ name }: ViewTable): number => {
    const at = usual.findIndex((part) => name.toLowerCase().includes(part));
    return at === -1 ? usual.length : at;
  };
  const cells = description.shape?.[0] ?? null;
  const ofCells = description.tables.filter(
    (table) =>
      (table.name.startsWith("obsm/") || table.name === "obs") &&
      (cells === null || table.rows === cells) &&
      coordinatesIn(table).length > 1,
  );
  const [frames, embeddings] = [true, false].map((isObs) => ofCells.filter(({ name }) => (name === "obs") === isObs));
  return [...(embeddings ?? []).toSorted((a, b) => rank(a) - rank(b)), ...(frames ?? [])];
}
