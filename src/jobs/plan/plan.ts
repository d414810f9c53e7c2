/**
 * Plans: a reader's description of an element, which consists of the stored arrays and their conversion to rows.
 * Readers resolve legacy layouts first, so a few kinds of plans suffice to describe the elements of every format.
 */

import type { RaggedForm } from "../../arrow/ragged/form.js";
import type { TextFallback } from "../../arrow/text.js";
import type { ArrowField } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { PassthroughObjects } from "../../containers/tree/passthrough-objects.js";
import type { ReadOptions } from "../../io/sources/source.js";
import type { ReadonlyFragmentBuffer } from "../../kernels/fragments/text.js";
import type { MinorMap } from "../../kernels/sparse/minor-map.js";
import type { Layout, TableMetadata } from "../../model/dataset.js";
import type { StoredType, VariableValues } from "../../model/stored.js";

/** The storage of one column's values. `A` is an array, either opened or as serializable data for a worker. */
export type ColumnPlan<A = StoredArray> =
  | SinglePlan<A>
  | { readonly kind: "nullable"; readonly values: A; readonly mask: A | null }
  | CategoricalPlan<A>
  | ViewedPlan<A>
  | {
      readonly kind: "ragged";
      readonly form: RaggedForm;
      readonly length: number;
      readonly buffers: ReadonlyMap<string, A>;
    }
  | { readonly kind: "null" };

export type SinglePlan<A = StoredArray> =
  | { readonly kind: "array"; readonly array: A }
  /** One field of a compound array. */
  | { readonly kind: "field"; readonly array: A; readonly field: number };

/** One value per row, with a meaning that is not declared by the stored type. */
export interface ViewedPlan<A = StoredArray> {
  readonly kind: "viewed";
  readonly values: SinglePlan<A>;
  /** Index of the value within its row. */
  readonly place: number;
  /** Type that the stored integers represent (times or booleans); null if the stored values are used as they are. */
  readonly type: StoredType | null;
  /** Text that represents a missing value; null if there is no such text. */
  readonly missing: string | null;
}

export interface CategoricalPlan<A = StoredArray> {
  readonly kind: "categorical";
  readonly codes: SinglePlan<A>;
  readonly categories: ColumnPlan<A>;
  readonly ordered: boolean;
  /** Whether codes start at 1, with 0 for a missing value. */
  readonly oneBased?: boolean;
}

/** A compressed sparse matrix of `shape`. `order` is the compressed axis ("row": CSR). */
export interface SparsePlan<A = StoredArray> {
  readonly shape: readonly [rows: number, columns: number];
  readonly order: "row" | "column";
  readonly nnz: number;
  readonly data: A;
  readonly indices: A;
  readonly indptr: A;
}

export type RowsPlan<A = StoredArray> =
  | { readonly kind: "columns"; readonly columns: readonly ColumnPlan<A>[] }
  | { readonly kind: "coordinate"; readonly matrix: SparsePlan<A> }
  /** `minor` specifies the selected minor positions. If absent, all positions are selected. */
  | { readonly kind: "entries" | "dense-rows"; readonly matrix: SparsePlan<A>; readonly minor?: MinorMap }
  | SubsetPlan<A>
  | RepositionedPlan<A>
  | EdgesPlan<A>
  | SelectedPlan<A>
  | FragmentsPlan<A>
  | FragmentLinesPlan
  | NonZerosPlan<A>
  | { readonly kind: "matrix-columns"; readonly array: A }
  /** The nodes of a mapping. Small nodes include their values. */
  | { readonly kind: "mapping-nodes"; readonly nodes: readonly ContentNode<A>[] };

/** The coordinate table of a sparse matrix restricted to some minor positions. */
export interface SubsetPlan<A = StoredArray> {
  readonly kind: "subset";
  readonly matrix: SparsePlan<A>;
  readonly minor: MinorMap;
}

/** The coordinate table of a row-compressed matrix that is part of a larger matrix. Its `row` column is Int64. */
export interface RepositionedPlan<A = StoredArray> {
  readonly kind: "placed";
  readonly matrix: SparsePlan<A>;
  /** The columns in the larger matrix. */
  readonly minor: MinorMap;
  /** Index of the first row in the larger matrix. */
  readonly first: number;
}

/** The edges of a part of a graph as rows `row, col, value`. */
export interface EdgesPlan<A = StoredArray> {
  readonly kind: "edges";
  readonly columns: readonly ColumnPlan<A>[];
  readonly nodes: MinorMap;
}

/** The entries of a sparse matrix at some positions of its axes. Both lists are ascending; null selects all. */
export interface SelectedPlan<A = StoredArray> {
  readonly kind: "selected";
  readonly matrix: SparsePlan<A>;
  readonly major: readonly number[] | null;
  readonly minor: readonly number[] | null;
  /** The new minor positions of the selected entries, if the matrix is a part. */
  readonly kept?: MinorMap;
}

/** The nonzeros of a dense matrix at some positions of its axes. Both lists are ascending; null selects all. */
export interface NonZerosPlan<A = StoredArray> {
  readonly kind: "nonzeros";
  readonly array: A;
  readonly row: readonly number[] | null;
  readonly col: readonly number[] | null;
}

/** Fragments in stored arrays: rows `chr, start, end, cell_id`, run by run. */
export interface FragmentsPlan<A = StoredArray> {
  readonly kind: "fragments";
  /** The cell of each fragment, as an index into `cellNames`. */
  readonly cell: A;
  readonly start: A;
  readonly end: A;
  /** Whether `end` contains lengths. The end is then start + length, modulo 2^32. */
  readonly endIsLength: boolean;
  readonly chrNames: A;
  readonly cellNames: A;
  /** Ranges of the arrays, in order. Within a range starts never decrease. */
  readonly runs: readonly FragmentRange[];
  /** The bounds of starts and lengths per chunk of packed arrays; null if the arrays have no bounds. */
  readonly chunks: FragmentChunks<A> | null;
  /** Null selects all fragments. */
  readonly only: FragmentFilter | null;
  /** The cells of a part. `cellNames` contains only their names, and `only` selects their fragments. */
  readonly picked?: PickedCells;
}

/** Some cells of fragments, in their new order. */
export interface PickedCells {
  /** The stored index of each selected cell. */
  readonly positions: Int32Array;
  /** The new index of each stored cell; -1 for omitted cells. */
  readonly ids: Int32Array;
}

export interface FragmentRange {
  /** Index into `chrNames`. */
  readonly chr: number;
  readonly start: number;
  readonly end: number;
}

/** One value per chunk of 128 fragments; `startIdx` and `endIdx` have one extra value. See kernels/bp128/page.ts. */
export interface FragmentChunks<A = StoredArray> {
  readonly firstStarts: A;
  readonly startIdx: A;
  readonly endIdx: A;
}

/** A range and cells that select fragments; null selects all. */
export interface FragmentFilter {
  /** Selects fragments that start before the range's end and end after its start. */
  readonly range: readonly [start: number, end: number] | null;
  readonly cells: readonly number[] | null;
}

/**
 * Fragments stored as lines of text, or copies of fragments. They are always read from the first fragment on, in one
 * thread.
 */
export interface FragmentLinesPlan {
  readonly kind: "fragment-lines";
  readonly lines: FragmentStream;
  /** Null selects all fragments. */
  readonly only: (FragmentFilter & { readonly chromosomes: readonly number[] | null }) | null;
  /** The cells of a part. `only` selects their fragments. */
  readonly picked?: PickedCells;
}

/** Fragments that can only be read from the beginning. Chromosomes and cells are indices of their names. */
export interface FragmentStream {
  names(options?: ReadOptions): Promise<{ readonly chr: VariableValues; readonly cell: VariableValues }>;
  /** A block is valid until the next block is requested. */
  blocks(options?: ReadOptions): AsyncGenerator<ReadonlyFragmentBuffer>;
}

/** A node below a mapping, as a row of the derived table. */
export interface MappingNode<A = StoredArray> {
  readonly path: string;
  readonly kind: string;
  readonly type: string | null;
  readonly shape: readonly number[] | null;
  /** The column that contains the value; null if the element is too large or not a single column. */
  readonly value: ColumnPlan<A> | null;
}

/** A node of a whole file, with its attributes as JSON; null if it has no attributes. */
export interface ContentNode<A = StoredArray> extends MappingNode<A> {
  readonly attributes?: string | null;
}

/** A copy of a sparse matrix that is stored in the other order, for reading entries by their minor positions. */
export interface MinorEntries {
  /** The matrix that was copied. The copy does not apply to plans of other matrices, such as selected rows. */
  readonly of: SparsePlan;
  /** Starts to find and open the copy in the background. Errors are thrown by `at`. */
  prepare(): void;
  /**
   * Returns the matrix with only the entries at some minor positions, in stored order; null if there is no copy, or if
   * reading the matrix itself is faster.
   * @param positions in ascending order.
   * @param share fraction of the matrix's rows (columns) that would otherwise be read, above 0 and at most 1.
   */
  at(positions: readonly number[], share: number, options: ReadOptions): Promise<SparsePlan | null>;
}

/** A table: its serializable schema and the source of its rows. */
export interface TablePlan {
  readonly name: string;
  readonly fields: readonly ArrowField[];
  readonly metadata: TableMetadata;
  /** Further schema metadata, such as `pandas`. */
  readonly schemaMetadata: ReadonlyMap<string, string>;
  /** Number of rows; null if only a scan can determine it. */
  readonly rows: number | null;
  readonly derived: boolean;
  readonly axis: "row" | "col" | null;
  readonly plan: RowsPlan;
  readonly text: TextFallback;
  /** Reads the column names for layout "columns"; null if columns are named by position. */
  readonly columnNames: (() => Promise<readonly string[]>) | null;
  /** Objects of the file that are written back unchanged; absent if the tables contain everything. */
  readonly kept?: PassthroughObjects;
  /** A copy of the sparse matrix by minor position; absent if there is no copy. */
  readonly minorEntries?: MinorEntries;
}

type PlanDefaults = "schemaMetadata" | "derived" | "axis" | "columnNames";
type GivenPlan = Omit<TablePlan, PlanDefaults | "kept" | "minorEntries"> & Partial<Pick<TablePlan, PlanDefaults>>;

/**
 * Creates a table's plan, by default without an axis or column names. Any other members of the argument are left out,
 * so that a reader can spread an element.
 */
export function createTablePlan({
  name,
  fields,
  metadata,
  schemaMetadata = new Map(),
  rows,
  derived = false,
  axis = null,
  plan,
  text,
  columnNames = null,
}: GivenPlan): TablePlan {
  return { name, fields, metadata, schemaMetadata, rows, derived, axis, plan, text, columnNames };
}

export type { Layout };

/** Returns `rows` with `change` applied to every array. */
export function mapArrays<A, B>(rows: RowsPlan<A>, change: (array: A) => B): RowsPlan<B> {
  switch (rows.kind) {
    case "columns":
    case "edges":
      return { ...rows, columns: rows.columns.map((column) => mapColumn(column, change)) };
    case "coordinate":
    case "entries":
    case "dense-rows":
    case "subset":
    case "placed":
    case "selected":
      return { ...rows, matrix: mapMatrix(rows.matrix, change) };
    case "fragments":
      return mapFragments(rows, change);
    case "fragment-lines":
      return rows;
    case "nonzeros":
    case "matrix-columns":
      return { ...rows, array: change(rows.array) };
    case "mapping-nodes":
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

function mapNode<A, B>(node: ContentNode<A>, change: (array: A) => B): ContentNode<B> {
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
    case "viewed":
      return { ...column, values: mapSingle(column.values, change) };
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

export function listPlanArrays<A>(rows: RowsPlan<A>): readonly A[] {
  const arrays: A[] = [];
  mapArrays(rows, (array) => arrays.push(array));
  return arrays;
}
