/**
 * The annotated view: a dataset of any format under AnnData's names, with cells as observations. Each format has one
 * conversion to the view and back. To convert between two formats, the first format is converted to the view, and the
 * view to the second format.
 */

import type { Format } from "../../../model/dataset.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import type { Rules, UnmappedElement } from "./rules.js";
import type { UnsupportedElements } from "./unsupported-elements.js";

/** Tables under the names of AnnData: `X`, `obs`, `layers/counts`. Tables without such a name keep their own. */
export interface AnnotatedView {
  readonly tables: ReadonlyMap<string, ColumnTable>;
  /** [observations, variables]; null if it can only be derived from the tables. */
  readonly shape: readonly [number, number] | null;
  /** The element that is the main matrix: `X`, or the element that the caller named. */
  readonly matrix: string;
  /** Returns an element's name in the source format, for messages. If absent, the names are the same. */
  readonly origin?: (name: string) => string;
}

/** Tables of a format, by their names in that format. */
export type FormatTables = Pick<AnnotatedView, "tables" | "shape">;

export interface ViewOptions {
  /** Name of the table in the source that becomes the matrix; null to use the only matrix. */
  readonly matrix: string | null;
  /** The index column of each dataframe, by table name. */
  readonly index: Readonly<Record<string, string>>;
  /** Loom attributes that contain the names of observations and variables; null for the usual ones. */
  readonly names: { readonly obs: string | null; readonly var: string | null };
  /** MATLAB variables by the elements that they become, if the caller specifies them: `{ X: "counts" }`. */
  readonly elements: Readonly<Record<string, string>> | null;
  /** The name of the modality that the view becomes in a MuData; null if the caller specifies none. */
  readonly as: string | null;
  /** Whether the target stores any number of matrices, so that the caller need not select one. */
  readonly holdsAll: boolean;
  /** Name of the option that selects elements, for messages. */
  readonly chooser: string;
  /** Collects the elements that the target cannot store. */
  readonly losses: UnsupportedElements;
}

/** Options that specify which columns contain names. */
export type NamesOptions = Pick<ViewOptions, "index" | "names">;

/**
 * The tables that name a dataset's observations and variables, and the axis along which the matrices have their rows.
 */
export interface MainAxes {
  readonly obs: string;
  readonly var: string;
  readonly rows: "obs" | "var";
}

export interface FormatConversion {
  readonly title: string;
  readonly rules: Rules;
  readonly beyond: readonly UnmappedElement[];
  /** Whether the format stores any number of matrices, so that the caller need not select one. */
  readonly holdsAll?: boolean;
  /**
   * Returns the format whose table names are kept when a dataset is converted to this format. If absent, this is `own`,
   * the format whose names the tables already have.
   */
  readonly vocabularyOf?: (own: Format, names: readonly string[]) => Format;
  /** Whether `name` follows this format's names for tables. */
  isOwnName(name: string): boolean;
  /**
   * Returns the tables that name the rows and columns of the table `name` (possibly the table itself), with null for an
   * axis without names.
   */
  axesOf(name: string): readonly [row: string | null, column: string | null];
  /** Returns the axes of a dataset whose tables have these names; null if the names do not determine the axes. */
  mainAxes(names: readonly string[]): MainAxes | null;
  /** Returns the names of the tables that label the rows and the columns of the table `name`. */
  axesBeside(name: string): readonly string[];
  /**
   * Returns the table `axis` with its column of names alone, or null if it has none.
   * @param parts the table `axis`, or its child tables, keyed by name.
   */
  onlyNames(axis: string, parts: FormatTables["tables"], options: NamesOptions): ColumnTable | null;
  /** Converts names to a dataframe that has only an index. */
  asIndex(names: ColumnTable): ColumnTable;
  /** Converts an index-only dataframe to the table of names `axis`; null if the rows have no names. */
  fromIndex(frame: ColumnTable, axis: string): ColumnTable | null;
  /**
   * Converts tables of this format to the view. No values are read.
   * @throws {InvalidInputError} if it is not clear which table is the matrix.
   */
  toAnnotated(given: FormatTables, options: ViewOptions): AnnotatedView | Promise<AnnotatedView>;
  /**
   * Converts the view to tables of this format. Elements that the format cannot store are added to `losses`.
   * @throws {InvalidInputError} if the tables do not fit together.
   */
  fromAnnotated(view: AnnotatedView, options: ViewOptions): Promise<FormatTables>;
}
