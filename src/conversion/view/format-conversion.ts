/**
 * The annotated view: a dataset of any format under the names of AnnData, with cells as observations. Each format has
 * one conversion to the view and back. Converting between two formats takes the first one's way to the view and the
 * second one's way back.
 */

import type { ColumnTable } from "../../tables/column-table.js";
import type { Losses } from "./losses.js";
import type { Beyond, Rules } from "./rules.js";

/** Tables under the names of an AnnData: `X`, `obs`, `layers/counts`. A table without such a name keeps its own. */
export interface AnnotatedView {
  readonly tables: ReadonlyMap<string, ColumnTable>;
  /** [observations, variables]; null where only the tables tell. */
  readonly shape: readonly [number, number] | null;
  /** The element that is the matrix: `X`, or the element that the caller named. */
  readonly matrix: string;
  /** Name of an element in the source format, for messages; the element's own name where absent. */
  readonly origin?: (name: string) => string;
}

/** Tables of a format, by the names that it gives them. */
export type GivenTables = Pick<AnnotatedView, "tables" | "shape">;

export interface ViewOptions {
  /** Table that becomes the matrix, by its name in the source; null to choose the only one. */
  readonly matrix: string | null;
  /** Columns that are the index of their dataframe, by the names of the tables. */
  readonly index: Readonly<Record<string, string>>;
  /** Attributes of Loom with the names of observations and variables; null for the usual ones. */
  readonly names: { readonly obs: string | null; readonly var: string | null };
  /** Variables of MATLAB by the elements that they become, as the caller chooses: `{ X: "counts" }`. */
  readonly elements: Readonly<Record<string, string>> | null;
  /** The name of the modality that the view becomes in a MuData; null where the caller gives none. */
  readonly as: string | null;
  /** Whether the target stores any number of matrices, so that the caller need not choose one. */
  readonly holdsAll: boolean;
  /** What chooses elements, for messages. */
  readonly chooser: string;
  /** Collects the elements that the target cannot hold. */
  readonly losses: Losses;
}

/** Options that tell which columns hold names. */
export type NamesOptions = Pick<ViewOptions, "index" | "names">;

/** The tables that name the observations and the variables of a dataset, and the axis of its matrices' rows. */
export interface MainAxes {
  readonly obs: string;
  readonly var: string;
  readonly rows: "obs" | "var";
}

/** The conversion of one format to the annotated view and back. */
export interface FormatConversion {
  /** Name of the format in messages. */
  readonly title: string;
  readonly rules: Rules;
  readonly beyond: readonly Beyond[];
  /** Whether the format stores any number of matrices, so that the caller need not choose one. */
  readonly holdsAll?: boolean;
  /** Whether `name` is a name that this format gives to its tables. */
  isOwnName(name: string): boolean;
  /** Names of the tables that name the rows and the columns of the table `name` (possibly itself); null for none. */
  axesOf(name: string): readonly [row: string | null, column: string | null];
  /**
   * The axes of the dataset that has tables of these names; null where the names do not tell.
   */
  mainAxes(names: readonly string[]): MainAxes | null;
  /** Tables of names that a dataset has along both axes of the table `name`. */
  axesBeside(name: string): readonly string[];
  /**
   * The table `axis` reduced to its names; null where it has none.
   * @param parts the table `axis`, or the tables below it, by their names.
   */
  onlyNames(axis: string, parts: GivenTables["tables"], options: NamesOptions): ColumnTable | null;
  /** Names as a dataframe that has only an index. */
  asIndex(names: ColumnTable): ColumnTable;
  /** A dataframe that has only an index as the table of names `axis`; null where its rows have only positions. */
  fromIndex(frame: ColumnTable, axis: string): ColumnTable | null;
  /**
   * Converts tables of this format to the view. No value is read.
   * @throws {InvalidInputError} where it is not clear which table is the matrix.
   */
  toAnnotated(given: GivenTables, options: ViewOptions): AnnotatedView | Promise<AnnotatedView>;
  /**
   * Converts the view to tables of this format; elements that the format cannot hold go to `losses`.
   * @throws {InvalidInputError} where the tables do not fit together.
   */
  fromAnnotated(view: AnnotatedView, options: ViewOptions): Promise<GivenTables>;
}
