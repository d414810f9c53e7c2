/**
 * The annotated view: what a dataset of any format is in the vocabulary of AnnData, observations being cells. A format
 * adds one file that goes there and back; a conversion is one format's way there and another's way back.
 */

import type { ColumnTable } from "../../tables/column-table.js";
import type { Losses } from "./losses.js";
import type { Beyond, Rules } from "./rules.js";

/** Tables under the names of an AnnData: `X`, `obs`, `layers/counts`; what AnnData has no name for keeps its own. */
export interface AnnotatedView {
  readonly tables: ReadonlyMap<string, ColumnTable>;
  /** [observations, variables]; null where only the tables tell. */
  readonly shape: readonly [number, number] | null;
  /** The element that is the matrix: `X`, or what the caller named. */
  readonly matrix: string;
  /** What the format that the view is of calls an element of the view; its own name where this is absent. */
  readonly origin?: (name: string) => string;
}

/** Tables of a format, by the names that it gives them. */
export type GivenTables = Pick<AnnotatedView, "tables" | "shape">;

export interface ViewOptions {
  /** The table that is the matrix, by its name in the format that it comes from; else the one that is there. */
  readonly matrix: string | null;
  /** Columns that are the index of their dataframe, by the names of the tables. */
  readonly index: Readonly<Record<string, string>>;
  /** What the names of observations and variables are called in Loom, where the caller says so. */
  readonly names: { readonly obs: string | null; readonly var: string | null };
  /** Variables of MATLAB by the elements that they are, where the caller says so: `{ X: "counts" }`. */
  readonly elements: Readonly<Record<string, string>> | null;
  /** Whether the target has a place for all matrices, and needs none of them to be the main one. */
  readonly holdsAll: boolean;
  /** Collects what the target cannot hold. */
  readonly losses: Losses;
}

/** Which columns are names. */
export type NamesOptions = Pick<ViewOptions, "index" | "names">;

/** One format, seen from the annotated view. */
export interface FormatConversion {
  /** What messages call it. */
  readonly title: string;
  readonly rules: Rules;
  readonly beyond: readonly Beyond[];
  /** Whether it has a place for all matrices, and needs none of them to be the main one. */
  readonly holdsAll?: boolean;
  /** Whether only this format gives a table that name. */
  isOwnName(name: string): boolean;
  /** The tables that name the rows and the columns of the table `name`, which may be itself; null where none does. */
  axesOf(name: string): readonly [row: string | null, column: string | null];
  /** The tables of names that a dataset has beside the table `name`. */
  axesBeside(name: string): readonly string[];
  /**
   * The table of names `axis` with the names alone; null where it has none.
   * @param parts the table, or those below it, by their names.
   */
  onlyNames(axis: string, parts: GivenTables["tables"], options: NamesOptions): ColumnTable | null;
  /** Names alone as a dataframe with nothing but its index. */
  asIndex(names: ColumnTable): ColumnTable;
  /** Such a dataframe as the table of names `axis`; null where its rows have none but their positions. */
  fromIndex(frame: ColumnTable, axis: string): ColumnTable | null;
  /**
   * Tables of this format as the view. Nothing is read.
   * @throws {InvalidInputError} where it is not clear which table is the matrix.
   */
  toAnnotated(given: GivenTables, options: ViewOptions): AnnotatedView | Promise<AnnotatedView>;
  /**
   * The view as tables of this format; what it cannot hold goes to `losses`.
   * @throws {InvalidInputError} where the tables do not fit together.
   */
  fromAnnotated(view: AnnotatedView, options: ViewOptions): Promise<GivenTables>;
}
