/** Finds tables with cell coordinates, and the names of these coordinates. */

import type { ViewColumn, ViewDescription, ViewTable } from "annarrow/view";

const NUMBER = /^(?:Uint|Int|Float)\d+$/;
const NUMBERS = /^FixedSizeList\[(\d+)\]<(?:Uint|Int|Float)\d+>$/;

export const isNumeric = ({ type }: ViewColumn): boolean => NUMBER.test(type);

export function coordinatesIn(table: ViewTable): readonly string[] {
  return table.columns.flatMap((column) => {
    if (isNumeric(column)) return [column.name];
    const length = Number(NUMBERS.exec(column.type)?.[1] ?? 0);
    return Array.from({ length }, (_, at) => `${column.name}[${at}]`);
  });
}

/** Returns tables with at least two coordinates per cell: those of `obsm`, common embeddings first, then `obs`. */
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
