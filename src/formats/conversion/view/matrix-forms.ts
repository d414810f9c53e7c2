/** Converts matrices of a view to another form: sparse, coordinates, or transposed. */

import type { ColumnBatch } from "../../../arrow/column.js";
import type { TableMetadata } from "../../../model/dataset.js";
import { InvalidInputError } from "../../../model/errors.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import { toNonZeroTable } from "../../../tables/reshaped-tables.js";

type Order = "row" | "column" | null;

/**
 * Transposes a matrix, and names it `name`. No entries are moved: `row` and `col` swap their names, and CSR becomes CSC
 * with the same stored arrays.
 * @throws {InvalidInputError} if the table contains neither coordinates nor lists of entries.
 */
export function transposeMatrix(matrix: ColumnTable, name: string): ColumnTable {
  const sparse = isLists(matrix) || isCoordinates(matrix);
  if (!sparse) {
    throw new InvalidInputError("no sparse matrix: coordinates (row, col, value), or one list of entries a row", {
      element: matrix.name,
    });
  }
  const { fields, metadata, schemaMetadata, rows, derived, repeatable } = matrix;
  const places = turnedPlaces(matrix);
  const layouts = matrix.layouts.filter((layout) => layout === "coordinate" || layout === "list");
  return {
    ...{ name, schemaMetadata, rows, derived, repeatable, layouts },
    fields: places.map((place, i) => ({ ...fields[place], name: fields[i].name })),
    metadata: turnedMetadata(metadata),
    layout: async (layout) => transposeMatrix(await matrix.layout(layout), name),
    async *batches(options): AsyncGenerator<ColumnBatch> {
      for await (const { length, columns } of matrix.batches(options)) {
        yield { length, columns: places.map((place) => columns[place]) };
      }
    },
  };
}

function isCoordinates({ fields }: ColumnTable): boolean {
  return fields.length === 3 && ["row", "col", "value"].every((name) => fields.some((field) => field.name === name));
}

function isLists({ fields }: ColumnTable): boolean {
  return fields.length === 1 && fields[0].name === "entries" && fields[0].type.id === "List";
}

/** Returns the field positions in the transposed matrix: the field `row` reads the column `col`. */
function turnedPlaces(matrix: ColumnTable): readonly number[] {
  const { fields } = matrix;
  if (isLists(matrix)) return [0];
  const place = (name: string) => fields.findIndex((field) => field.name === name);
  return fields.map((field, i) => (field.name === "row" ? place("col") : field.name === "col" ? place("row") : i));
}

/** Returns the part of the transposed matrix's metadata that is valid in any format. */
function turnedMetadata(metadata: TableMetadata | null): TableMetadata | null {
  if (metadata === null) return null;
  const { kind, shape, layout } = metadata;
  const order = turnedOrder(metadata);
  const isColumns = kind === "csr_matrix" || (kind !== "csc_matrix" && order !== "row");
  return {
    kind: isColumns ? "csc_matrix" : "csr_matrix",
    shape: shape?.length === 2 ? [shape[1], shape[0]] : undefined,
    order,
    layout,
  };
}

function turnedOrder({ kind, order, layout }: TableMetadata): Order {
  if (order === "row") return "column";
  if (order === "column") return "row";
  // The non-zeros of a dense matrix are read row by row.
  return kind === "array" && layout === "coordinate" ? "column" : null;
}

/**
 * Converts `matrix` to lists of entries, to coordinates, or to the non-zeros of a dense matrix, in stored order.
 * @throws {InvalidInputError} if the table is not a matrix in one of these forms.
 */
export async function toSparseForm(matrix: ColumnTable): Promise<ColumnTable> {
  const { fields, layouts, name } = matrix;
  const [first] = fields;
  const isSparse = first?.name === "entries" || (fields.length === 3 && fields.some((field) => field.name === "row"));
  if (isSparse) return matrix;
  if (layouts.includes("list")) return matrix.layout("list");
  if (layouts.includes("coordinate")) return matrix.layout("coordinate");
  if (fields.length === 1 && first?.type.id === "FixedSizeList") return toNonZeroTable(matrix);
  throw new InvalidInputError(
    "no matrix: coordinates (row, col, value), lists of entries (index, value), or lists of fixed size",
    { element: name },
  );
}

/**
 * Converts `matrix` to coordinates in stored order, keeping the layout of lists if there is one. A matrix that has only
 * lists is returned as lists.
 * @throws {InvalidInputError} if the table is not a matrix.
 */
export async function toCoordinateForm(matrix: ColumnTable): Promise<ColumnTable> {
  const [first, ...others] = matrix.fields;
  const isDense = others.length === 0 && first?.type.id === "FixedSizeList";
  const mayTurn = isDense || matrix.layouts.length > 0;
  return mayTurn && matrix.layouts.includes("coordinate") ? matrix.layout("coordinate") : toSparseForm(matrix);
}
