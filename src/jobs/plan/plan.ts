/**
 * Plans: a reader's description of an element, with its stored arrays and how they become rows. Readers resolve legacy
 * layouts first, so these few kinds of plans describe the elements of every format.
 */

import type { RaggedForm } from "../../arrow/ragged/form.js";
import type { TextFallback } from "../../arrow/text.js";
import type { ArrowField } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { KeptObjects } from "../../containers/tree/kept-objects.js";
import type { BlockOfFragments } from "../../kernels/fragments/text.js";
import type { MinorMap } from "../../kernels/sparse/minor-map.js";
import type { Layout, TableMetadata } from "../../model/dataset.js";
import type { StoredType, VariableValues } from "../../model/stored.js";
import type { ReadOptions } from "../../sources/source.js";

/** How the values of one column are stored. `A` is an array: opened, or as plain data on its way to a worker. */
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

/** One value of each row, in a meaning that its stored type does not tell. */
export interface ViewedPlan<A = StoredArray> {
  readonly kind: "viewed";
  readonly values: SinglePlan<A>;
  /** The position of the value in its row. */
  readonly place: number;
  /** What the stored integers stand for: times, or booleans; null for the values themselves. */
  readonly type: StoredType | null;
  /** The text that stands for a missing one; null for none. */
  readonly missing: string | null;
}

export interface CategoricalPlan<A = StoredArray> {
  readonly kind: "categorical";
  readonly codes: SinglePlan<A>;
  readonly categories: ColumnPlan<A>;
  readonly ordered: boolean;
  /** Whether codes count from 1, and 0 marks a missing value. */
  readonly oneBased?: boolean;
}

/** A compressed sparse matrix of `shape`; `order` says which axis is compressed ("row": CSR). */
export interface SparsePlan<A = StoredArray> {
  readonly shape: readonly [rows: number, columns: number];
  readonly order: "row" | "column";
  readonly nnz: number;
  readonly data: A;
  readonly indices: A;
  readonly indptr: A;
}

/** Where a table's rows come from. */
export type RowsPlan<A = StoredArray> =
  | { readonly kind: "columns"; readonly columns: readonly ColumnPlan<A>[] }
  | { readonly kind: "coordinate"; readonly matrix: SparsePlan<A> }
  /** `minor` tells which minor positions are kept; all where it is absent. */
  | { readonly kind: "entries" | "dense-rows"; readonly matrix: SparsePlan<A>; readonly minor?: MinorMap }
  | SubsetPlan<A>
  | PlacedPlan<A>
  | EdgesPlan<A>
  | SelectedPlan<A>
  | FragmentsPlan<A>
  | FragmentLinesPlan
  | NonZerosPlan<A>
  | { readonly kind: "matrix-columns"; readonly array: A }
  /** The nodes of a mapping; small nodes come with their values. */
  | { readonly kind: "mapping-nodes"; readonly nodes: readonly ContentNode<A>[] };

/** The coordinate table of the part of a sparse matrix that has some of its minor positions. */
export interface SubsetPlan<A = StoredArray> {
  readonly kind: "subset";
  readonly matrix: SparsePlan<A>;
  readonly minor: MinorMap;
}

/** The coordinate table of a matrix that is compressed by rows, at its place in a larger matrix; its `row` is Int64. */
export interface PlacedPlan<A = StoredArray> {
  readonly kind: "placed";
  readonly matrix: SparsePlan<A>;
  /** The new columns. */
  readonly minor: MinorMap;
  /** The place of the first row. */
  readonly first: number;
}

/** The edges of a part of a graph, which are rows `row, col, value`. */
export interface EdgesPlan<A = StoredArray> {
  readonly kind: "edges";
  readonly columns: readonly ColumnPlan<A>[];
  /** The nodes that are kept. */
  readonly nodes: MinorMap;
}

/** The entries of a sparse matrix at some positions of its axes; both lists rise, null selects all. */
export interface SelectedPlan<A = StoredArray> {
  readonly kind: "selected";
  readonly matrix: SparsePlan<A>;
  readonly major: readonly number[] | null;
  readonly minor: readonly number[] | null;
  /** The new minor positions of the selected entries, where the matrix is a part. */
  readonly kept?: MinorMap;
}

/** The non-zeros of a dense matrix at some positions of its axes; both lists rise, null selects all. */
export interface NonZerosPlan<A = StoredArray> {
  readonly kind: "nonzeros";
  readonly array: A;
  readonly row: readonly number[] | null;
  readonly col: readonly number[] | null;
}

/** Fragments in stored arrays: rows `chr, start, end, cell_id`, run by run. */
export interface FragmentsPlan<A = StoredArray> {
  readonly kind: "fragments";
  /** The cell of each fragment, as its position in `cellNames`. */
  readonly cell: A;
  readonly start: A;
  readonly end: A;
  /** Whether `end` holds lengths: the end is start + length, modulo 2^32. */
  readonly endIsLength: boolean;
  readonly chrNames: A;
  readonly cellNames: A;
  /** Ranges of the arrays, in their order; starts never decrease within one. */
  readonly runs: readonly FragmentRun[];
  /** The bounds of the starts and lengths in each chunk of packed arrays; null where the arrays have none. */
  readonly chunks: FragmentChunks<A> | null;
  /** Null selects all. */
  readonly only: FragmentFilter | null;
  /** The cells of a part; `cellNames` has their names alone, and `only` selects their fragments. */
  readonly picked?: PickedCells;
}

/** Some cells of fragments, in their new order. */
export interface PickedCells {
  /** The stored position of each. */
  readonly positions: Int32Array;
  /** The new position of each stored cell, -1 where it is left out. */
  readonly ids: Int32Array;
}

export interface FragmentRun {
  /** Position in `chrNames`. */
  readonly chr: number;
  readonly start: number;
  readonly end: number;
}

/** One value for each chunk of 128 fragments, `startIdx` and `endIdx` one more: see kernels/bp128/page.ts. */
export interface FragmentChunks<A = StoredArray> {
  readonly firstStarts: A;
  readonly startIdx: A;
  readonly endIdx: A;
}

/** A range and cells that select fragments; null selects all. */
export interface FragmentFilter {
  /** Selects fragments that begin before the range's end, and end behind its start. */
  readonly range: readonly [start: number, end: number] | null;
  readonly cells: readonly number[] | null;
}

/** Fragments that are lines of text, or copies. One thread reads them, and every scan begins with the first fragment. */
export interface FragmentLinesPlan {
  readonly kind: "fragment-lines";
  readonly lines: FragmentBlocks;
  /** Null selects all. */
  readonly only: (FragmentFilter & { readonly chromosomes: readonly number[] | null }) | null;
  /** The cells of a part, whose fragments `only` selects. */
  readonly picked?: PickedCells;
}

/** Fragments that are read from the first one on. Chromosomes and cells are positions of their names. */
export interface FragmentBlocks {
  names(options?: ReadOptions): Promise<{ readonly chr: VariableValues; readonly cell: VariableValues }>;
  /** A block is valid until the next one is requested. */
  blocks(options?: ReadOptions): AsyncGenerator<BlockOfFragments>;
}

/** A node below a mapping, as a row of the derived table. */
export interface MappingNode<A = StoredArray> {
  readonly path: string;
  readonly kind: string;
  readonly type: string | null;
  readonly shape: readonly number[] | null;
  /** The column that the value is read from; null where the element is too large or not a single column. */
  readonly value: ColumnPlan<A> | null;
}

/** A node of a whole file, with its attributes as JSON; null where it has none. */
export interface ContentNode<A = StoredArray> extends MappingNode<A> {
  readonly attributes?: string | null;
}

/** The entries of a sparse matrix by their minor positions: a copy that is stored in the other order. */
export interface MinorEntries {
  /** The matrix that was copied; plans of another one, as of picked rows, have nothing to do with the copy. */
  readonly of: SparsePlan;
  /** Begins to look for the copy and to open it, beside other work; `at` throws the errors. */
  prepare(): void;
  /**
   * The matrix with no entries but those at some minor positions, in stored order; null where the matrix itself is read
   * sooner, or there is no copy.
   * @param positions rising.
   * @param share the part of its rows (columns) that would be read of the matrix itself, above 0 and at most 1.
   */
  at(positions: readonly number[], share: number, options: ReadOptions): Promise<SparsePlan | null>;
}

/** One table: its schema as plain data, and where the rows come from. */
export interface TablePlan {
  readonly name: string;
  readonly fields: readonly ArrowField[];
  readonly metadata: TableMetadata;
  /** Further schema metadata, such as `pandas`. */
  readonly schemaMetadata: ReadonlyMap<string, string>;
  /** Number of rows; null where only a scan can tell. */
  readonly rows: number | null;
  readonly derived: boolean;
  readonly axis: "row" | "col" | null;
  readonly plan: RowsPlan;
  readonly text: TextFallback;
  /** Reads the names of the columns in layout "columns"; where it is null, columns are named by their positions. */
  readonly columnNames: (() => Promise<readonly string[]>) | null;
  /** Objects of the file that are written back as they are stored; absent where the tables hold everything. */
  readonly kept?: KeptObjects;
  /** A copy of the sparse matrix by its minor positions; absent where there is none. */
  readonly minorEntries?: MinorEntries;
}

export type { Layout };

/** `rows` with `change` applied to every array in it. */
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

/** All arrays of a plan. */
export function arraysOf<A>(rows: RowsPlan<A>): readonly A[] {
  const arrays: A[] = [];
  mapArrays(rows, (array) => arrays.push(array));
  return arrays;
}
