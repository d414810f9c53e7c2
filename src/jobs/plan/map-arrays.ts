/** The same plan over other arrays: opened ones become plain data on their way to a worker, and are opened there. */

import type {
  CategoricalPlan,
  ColumnPlan,
  FragmentsPlan,
  MappingNode,
  RowsPlan,
  SinglePlan,
  SparsePlan,
} from "./plan.js";

/** `rows` with `change` applied to every array in it. */
export function mapArrays<A, B>(rows: RowsPlan<A>, change: (array: A) => B): RowsPlan<B> {
  switch (rows.kind) {
    case "columns":
      return { kind: rows.kind, columns: rows.columns.map((column) => mapColumn(column, change)) };
    case "coordinate":
    case "entries":
    case "scattered":
      return { kind: rows.kind, matrix: mapMatrix(rows.matrix, change) };
    case "selected":
      return { ...rows, matrix: mapMatrix(rows.matrix, change) };
    case "fragments":
      return mapFragments(rows, change);
    case "fragment-lines":
      return rows;
    case "nonzeros":
    case "unstacked":
      return { ...rows, array: change(rows.array) };
    case "nodes":
      return { kind: rows.kind, nodes: rows.nodes.map((node) => mapNode(node, change)) };
    default:
      return rows satisfies never;
  }
}

function mapMatrix<A, B>(matrix: SparsePlan<A>, change: (array: A) => B): SparsePlan<B> {
  const { data, indices, indptr } = matrix;
  return { ...matrix, data: change(data), indices: change(indices), indptr: change(indptr) };
}

function mapFragments<A, B>(plan: FragmentsPlan<A>, change: (array: A) => B): FragmentsPlan<B> {
  const { cell, start, end, chrNames, cellNames, chunks } = plan;
  return {
    ...plan,
    ...{ cell: change(cell), start: change(start), end: change(end) },
    ...{ chrNames: change(chrNames), cellNames: change(cellNames) },
    chunks: chunks && {
      firstStarts: change(chunks.firstStarts),
      startIdx: change(chunks.startIdx),
      endIdx: change(chunks.endIdx),
    },
  };
}

function mapNode<A, B>(node: MappingNode<A>, change: (array: A) => B): MappingNode<B> {
  return { ...node, value: node.value === null ? null : mapColumn(node.value, change) };
}

function mapColumn<A, B>(column: ColumnPlan<A>, change: (array: A) => B): ColumnPlan<B> {
  switch (column.kind) {
    case "array":
    case "field":
      return mapSingle(column, change);
    case "nullable":
      return { ...column, values: change(column.values), mask: column.mask === null ? null : change(column.mask) };
    case "categorical":
      return mapCategorical(column, change);
    case "ragged":
      return { ...column, buffers: new Map([...column.buffers].map(([name, array]) => [name, change(array)])) };
    case "null":
      return column;
    default:
      return column satisfies never;
  }
}

function mapSingle<A, B>(column: SinglePlan<A>, change: (array: A) => B): SinglePlan<B> {
  const array = change(column.array);
  return column.kind === "array" ? { kind: "array", array } : { kind: "field", array, field: column.field };
}

function mapCategorical<A, B>(column: CategoricalPlan<A>, change: (array: A) => B): CategoricalPlan<B> {
  const { codes, categories } = column;
  return { ...column, codes: mapSingle(codes, change), categories: mapColumn(categories, change) };
}

/** All arrays of a plan. */
export function arraysOf<A>(rows: RowsPlan<A>): readonly A[] {
  const arrays: A[] = [];
  mapArrays(rows, (array) => arrays.push(array));
  return arrays;
}
