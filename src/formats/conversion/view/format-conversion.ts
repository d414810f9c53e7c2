/**
 * The annotated view: a dataset of any format under AnnData's names, with cells as observations. Each format has one
 * conversion to the view and back. A conversion between two formats goes from the first format to the view, and from
 * the view to the second format.
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
  /** The element that is the matrix: `X`, or the element that the caller named. */
  readonly matrix: string;
  /** Returns the name of an element in the source format, for messages. If absent, names are the same. */
  readonly origin?: (name: string) => string;
}

/** Tables of a format, by their names in this format. */
export type FormatTables = Pick<AnnotatedView, "tables" | "shape">;

export interface ViewOptions {
  /** Name in the source of the table that becomes the matrix; null to use the only one. */
  readonly matrix: string | null;
  /** The index column of each dataframe, by table name. */
  readonly index: Readonly<Record<string, string>>;
  /** Attributes of Loom with the names of observations and variables; null for the usual ones. */
  readonly names: { readonly obs: string | null; readonly var: string | null };
  /** MATLAB variables by the elements that they become, as specified by the caller: `{ X: "counts" }`. */
  readonly elements: Readonly<Record<string, string>> | null;
  /** The name of the modality that the view becomes in a MuData; null if the caller specifies none. */
  readonly as: string | null;
  /** Whether the target stores any number of matrices, so that the caller need not select one. */
  readonly holdsAll: boolean;
  /** Name of the option that selects elements, for messages. */
  readonly chooser: string;
  /** Collects the elements that the target cannot hold. */
  readonly losses: UnsupportedElements;
}

/** Options that specify which columns contain names. */
export type NamesOptions = Pick<ViewOptions, "index" | "names">;

/** The tables that name the observations and the variables of a dataset, and the axis of its matrices' rows. */
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
   * Returns the format whose names the tables of a dataset keep while they become this format; `own`, the format whose
   * names they have, where absent.
   */
  readonly vocabularyOf?: (own: Format, names: readonly string[]) => Format;
  /** Whether `name` follows this format's names for tables. */
  isOwnName(name: string): boolean;
  /** Tables that name the rows and columns of the table `name` (possibly the table itself); null if unnamed. */
  axesOf(name: string): readonly [row: string | null, column: string | null];
  /** The axes of the dataset that has tables of these names; null if the names do not determine them. */
  mainAxes(names: readonly string[]): MainAxes | null;
  /** Tables of names that a dataset has along both axes of the table `name`. */
  axesBeside(name: string): readonly string[];
  /**
   * The table `axis` reduced to its names; null where it has none.
   * @param parts the table `axis`, or the tables below it, by their names.
   */
  onlyNames(axis: string, parts: FormatTables["tables"], options: NamesOptions): ColumnTable | null;
  /** Converts names to a dataframe that has only an index. */
  asIndex(names: ColumnTable): ColumnTable;
  /** Converts an index-only dataframe to the table of names `axis`; null if its rows have only positions. */
  fromIndex(frame: ColumnTable, axis: string): ColumnTable | null;
  /**
   * Converts tables of this format to the view. No value is read.
   * @throws {InvalidInputError} where it is not clear which table is the matrix.
   */
  toAnnotated(given: FormatTables, options: ViewOptions): AnnotatedView | Promise<AnnotatedView>;
  /**
   * Converts the view to tables of this format; elements that the format cannot hold go to `losses`.
   * @throws {InvalidInputError} where the tables do not fit together.
   */
  fromAnnotated(view: AnnotatedView, options: ViewOptions): Promise<FormatTables>;
}
