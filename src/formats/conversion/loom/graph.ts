/** Graphs of Loom <-> `obsp` and `varp`. End `a` is the row and end `b` the column; matrices are not transposed. */

import type { Column, ColumnBatch } from "../../../arrow/column.js";
import type { ArrowType } from "../../../arrow/type.js";
import { InvalidInputError } from "../../../model/errors.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import { findCoordinateColumns, getIntValues } from "../../../tables/sparse/sparse-entries.js";
import { toCoordinateForm } from "../view/matrix-forms.js";
import type { UnsupportedElements } from "../view/unsupported-elements.js";

/** Returns the edges as a sparse matrix, in stored order. Positions that the file counts from 1 become 0-based. */
export function convertGraphToPairs(graph: ColumnTable, name: string, losses: UnsupportedElements): ColumnTable {
  const shape = graph.metadata?.shape;
  const metadata = { kind: "csr_matrix", shape, order: null };
  const pairs = { ...graph, name, metadata, layouts: [] };
  if (graph.metadata?.base !== 1) return pairs;
  losses.note(graph.name, `the ends of its edges are counted from 1, positions in ${name} from 0`);
  return { ...pairs, batches: (options) => fromZero(graph, options) };
}

async function* fromZero(
  graph: ColumnTable,
  options: Parameters<ColumnTable["batches"]>[0],
): AsyncGenerator<ColumnBatch> {
  const places = findCoordinateColumns(graph.fields);
  if (places === null) throw new InvalidInputError("edges are a table of row, col, value", { element: graph.name });
  const [row, col] = places;
  for await (const { length, columns } of graph.batches(options)) {
    yield {
      length,
      columns: columns.map((column, i) => (i === row || i === col ? lessOne(column, graph.name) : column)),
    };
  }
}

function lessOne(column: Column, element: string): Column {
  const values = getIntValues(column, "an end of the edges", element);
  if (column.layout !== "primitive") throw new TypeError("integers expected");
  const less =
    values instanceof BigInt64Array || values instanceof BigUint64Array
      ? values.map((value) => value - 1n)
      : values.map((value) => value - 1);
  return { ...column, values: less };
}

/**
 * Converts the entries of a matrix of pairs to edges. A dense matrix is converted to its non-zeros.
 * @throws {InvalidInputError} if the table is not a matrix.
 */
export async function convertPairsToGraph(pairs: ColumnTable, name: string): Promise<ColumnTable> {
  const edges = await toCoordinateForm(pairs);
  const shape = edges.metadata?.shape;
  const order = edges.metadata?.order ?? null;
  const metadata = { kind: "coo_matrix", shape, order };
  return { ...edges, name, metadata, layouts: [] };
}

const OTHERS: ReadonlySet<string> = new Set(["awkward-array", "dataframe", "null", "rec-array"]);

export function isGlobal({ fields, metadata }: ColumnTable): boolean {
  return fields.length === 1 && !OTHERS.has(metadata?.kind ?? "") && isScalarOrFixedList(fields[0].type);
}

/** Whether values are numbers, booleans or text, or arrays of these. */
export function isScalarOrFixedList(type: ArrowType): boolean {
  if (type.id === "FixedSizeList") return isScalarOrFixedList(type.item.type);
  return isScalar(type);
}

/** Whether a value is a single number, boolean or string, possibly a category. */
export function isScalar(type: ArrowType): boolean {
  switch (type.id) {
    case "Bool":
    case "Int":
    case "Float":
    case "Utf8":
    case "Date32":
    case "Timestamp":
    case "Duration":
      return true;
    case "Dictionary":
      return isScalar(type.value);
    default:
      return false;
  }
}
