/** Finds the shape, order and entries of the matrix that a table holds. */

import type { ArrowField } from "../../arrow/type.js";
import { InvalidInputError, RefusedError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { nonZeroTable } from "../../tables/reshaped-tables.js";
import { type SparseEntries, sparseEntries } from "../../tables/sparse/sparse-entries.js";
import type { BpcellsWriterContext } from "./context.js";

export interface MatrixSource {
  readonly shape: readonly [number, number];
  readonly order: "row" | "column";
  readonly value: ArrowField;
  readonly batches: SparseEntries["batches"];
}

const LARGEST_SIZE = 2 ** 32 - 1;

/**
 * The matrix that a table holds.
 * @param names the tables of names; their lengths are the lengths of the axes where nothing else tells them.
 * @throws {InvalidInputError} where nothing tells the shape, or the table is no matrix.
 */
export async function matrixSource(
  table: ColumnTable,
  names: readonly [row: ColumnTable | null, col: ColumnTable | null],
  cx: BpcellsWriterContext,
): Promise<MatrixSource> {
  const matrix = await coordinatesOrLists(table);
  const shape = shapeOf(matrix, names, cx);
  const own = orderOf(matrix);
  const order = cx.order ?? own ?? "column";
  const { value, batches } = await sparseEntries(matrix, own === order, cx);
  return { shape, order, value, batches };
}

/** Converts a dense matrix to the coordinates of its non-zeros. */
async function coordinatesOrLists(table: ColumnTable): Promise<ColumnTable> {
  const [first] = table.fields;
  const isDense = table.fields.length === 1 && first.type.id === "FixedSizeList";
  if (!isDense && table.metadata?.layout !== "columns") return table;
  if (table.layouts.includes("coordinate")) return inRowOrder(await table.layout("coordinate"));
  if (isDense) return nonZeroTable(table);
  throw new RefusedError("one column per column of a matrix; give it as lists of fixed size, or as coordinates", {
    element: table.name,
  });
}

/** Adds the row order of a dense matrix' non-zeros to the metadata, which may lack it. */
function inRowOrder(table: ColumnTable): ColumnTable {
  const { metadata } = table;
  if (metadata === null || metadata.kind !== "array" || metadata.order !== undefined) return table;
  return { ...table, batches: (options) => table.batches(options), metadata: { ...metadata, order: "row" } };
}

function orderOf({ metadata }: ColumnTable): "row" | "column" | null {
  if (metadata?.order === "row" || metadata?.order === "column") return metadata.order;
  if (metadata?.kind === "csr_matrix") return "row";
  return metadata?.kind === "csc_matrix" ? "column" : null;
}

function shapeOf(
  table: ColumnTable,
  names: readonly [ColumnTable | null, ColumnTable | null],
  cx: BpcellsWriterContext,
): readonly [number, number] {
  const known = table.metadata?.shape;
  const of = (axis: 0 | 1) => {
    const size = (known?.length === 2 ? known[axis] : undefined) ?? cx.shape?.[axis] ?? names[axis]?.rows ?? null;
    const what = axis === 0 ? "rows" : "columns";
    if (size === null) {
      throw new InvalidInputError(`nothing says how many ${what} it has: give the shape, or names of the ${what}`, {
        element: table.name,
      });
    }
    if (Number.isInteger(size) && size >= 0 && size <= LARGEST_SIZE) return size;
    throw new RefusedError(`${size} ${what}; BPCells has up to ${LARGEST_SIZE}`, { element: table.name });
  };
  return [of(0), of(1)];
}
