/** The shape of the matrix, genes x cells, which every other element of the file must fit. */

import { InvalidInputError, NothingToWriteError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";

export type LoomShape = readonly [rows: number, cols: number];

/**
 * @param known where the caller says it.
 * @throws {InvalidInputError} where there is no matrix, nothing tells its shape, or two tables tell different ones.
 */
export function loomShape(
  tables: ReadonlyMap<string, ColumnTable>,
  known: readonly [number, number] | null,
): LoomShape {
  const matrix = tables.get("matrix");
  if (matrix === undefined) {
    const layers = [...tables.keys()].filter((name) => name.startsWith("layers/"));
    const remedy = layers.length === 0 ? "give one" : `choose one, as ${layers[0]}`;
    throw new NothingToWriteError(`a Loom file has one: ${remedy}`, { element: "matrix" });
  }
  const own = shapeOf(matrix);
  const size = (axis: 0 | 1): number => {
    const attributes = tables.get(axis === 0 ? "row_attrs" : "col_attrs");
    const found = own[axis] ?? known?.[axis] ?? attributes?.rows ?? null;
    if (found !== null) return found;
    throw new InvalidInputError(`nothing says how many ${axis === 0 ? "rows" : "columns"} it has: give the shape`, {
      element: "matrix",
    });
  };
  const shape: LoomShape = [size(0), size(1)];
  for (const [name, table] of tables) {
    if (name === "matrix" || name.startsWith("layers/")) checkShape(table, shape);
  }
  return shape;
}

/** @throws {InvalidInputError} where the table says another shape than the matrix has. */
function checkShape(table: ColumnTable, shape: LoomShape): void {
  const own = shapeOf(table);
  if ([0, 1].every((axis) => own[axis] === null || own[axis] === shape[axis])) return;
  throw new InvalidInputError(`shape ${JSON.stringify(own)}, the matrix has ${JSON.stringify(shape)}`, {
    element: table.name,
  });
}

/** As far as a table says it. */
function shapeOf({ fields, metadata, rows }: ColumnTable): readonly [number | null, number | null] {
  const [first, ...others] = fields;
  if (others.length === 0 && first?.type.id === "FixedSizeList") return [rows, first.type.size];
  const shape = metadata?.shape;
  return shape?.length === 2 ? [shape[0], shape[1]] : [null, null];
}
