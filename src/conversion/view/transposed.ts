/** A sparse matrix with its rows as columns. No entry is moved: `row` and `col` change their names. */

import type { ColumnBatch } from "../../arrow/column.js";
import type { TableMetadata } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";

type Order = "row" | "column" | null;

/**
 * `matrix` turned, as the element `name`. CSR becomes CSC and keeps every stored array.
 * @throws {InvalidInputError} where it is neither a table of coordinates nor one list of entries a row.
 */
export function transposed(matrix: ColumnTable, name: string): ColumnTable {
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
    layout: async (layout) => transposed(await matrix.layout(layout), name),
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

/** The fields stay in their order; `row` has what was `col`. */
function turnedPlaces(matrix: ColumnTable): readonly number[] {
  const { fields } = matrix;
  if (isLists(matrix)) return [0];
  const place = (name: string) => fields.findIndex((field) => field.name === name);
  return fields.map((field, i) => (field.name === "row" ? place("col") : field.name === "col" ? place("row") : i));
}

/** What is left of the metadata is true of any format. */
function turnedMetadata(metadata: TableMetadata | null): TableMetadata | null {
  if (metadata === null) return null;
  const { kind, shape, layout } = metadata;
  const order = turnedOrder(metadata);
  const isColumns = kind === "csr_matrix" || (kind !== "csc_matrix" && order !== "row");
  return {
    kind: isColumns ? "csc_matrix" : "csr_matrix",
    ...(shape?.length === 2 ? { shape: [shape[1], shape[0]] } : {}),
    order,
    ...(layout === undefined ? {} : { layout }),
  };
}

function turnedOrder({ kind, order, layout }: TableMetadata): Order {
  if (order === "row") return "column";
  if (order === "column") return "row";
  // The non-zeros of a dense matrix come row by row.
  return kind === "array" && layout === "coordinate" ? "column" : null;
}
