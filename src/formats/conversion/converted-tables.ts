/** Converts tables from one format to another, by way of the annotated view. */

import type { Format } from "../../model/dataset.js";
import { InvalidInputError, NothingToWriteError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { type Conversions, detectVocabulary } from "./conversions.js";
import { CHOOSER, formatNameList, UnsupportedElements } from "./view/unsupported-elements.js";

/** Tables together with their format and the shape of their matrix. */
export interface NamedTables {
  /** The format whose naming the tables follow; `tables` if it is to be detected from the names. */
  readonly format: Format;
  readonly tables: ReadonlyMap<string, ColumnTable>;
  /** The matrix's [rows, columns], as stored in `format`. */
  readonly shape: readonly [number, number] | null;
}

export interface ConversionOptions {
  /** Name in `tables` of the table that becomes the matrix. */
  readonly matrix?: string;
  /** Omits elements that the target cannot store, with a warning. */
  readonly lossy?: boolean;
  /** The modality that the tables become in a MuData. */
  readonly as?: string;
  readonly index?: Readonly<Record<string, string>>;
  readonly obsNames?: string;
  readonly varNames?: string;
  /** MATLAB variables, by the names of the elements that they become. */
  readonly elements?: Readonly<Record<string, string>>;
  /** Name of the option that selects elements, for messages; `--table` by default. */
  readonly chooser?: string;
}

export interface ConvertedTables extends Omit<NamedTables, "format"> {
  readonly warnings: readonly string[];
}

/**
 * Converts `given` to tables of the format `target`. Tables that already have this format stay unchanged. No values are
 * read.
 * @throws {InvalidInputError} for elements that the target cannot store, unless losses are allowed.
 * @throws {UnsupportedError} for formats that cannot be converted.
 */
export async function convertTables(
  given: NamedTables,
  target: Format,
  { matrix, lossy = false, as, index = {}, obsNames, varNames, elements, chooser = CHOOSER }: ConversionOptions,
  conversions: Conversions,
): Promise<ConvertedTables> {
  const { tables, shape } = given;
  // The tables of a modality have AnnData's names, even if MuData uses the same names.
  const likely = as === undefined ? target : "anndata";
  const source = await detectVocabulary(given.format, tables.keys(), likely, conversions);
  checkNames(source, target, obsNames ?? varNames);
  checkElements(source, target, elements);
  if (source === target && as !== undefined) {
    throw new InvalidInputError("a MuData already: --as names the modality that another dataset becomes");
  }
  if (source === target) {
    if (matrix === undefined) return { tables, shape, warnings: [] };
    throw new InvalidInputError(`the tables are those of ${target} already: there is no matrix to choose`, {
      element: matrix,
    });
  }
  const [from, to] = await Promise.all([conversions.of(source), conversions.of(target)]);
  const losses = new UnsupportedElements(to.title, chooser);
  const names = { obs: obsNames ?? null, var: varNames ?? null };
  const options = {
    ...{ matrix: matrix ?? null, index, names, elements: elements ?? null, as: as ?? null },
    ...{ holdsAll: to.holdsAll ?? false, losses, chooser },
  };
  const view = await from.toAnnotated({ tables, shape }, options);
  const written = await to.fromAnnotated(view, options);
  const warnings = losses.settle(lossy, view.origin);
  if ([...written.tables.values()].some(({ derived }) => !derived)) return { ...written, warnings };
  throw new NothingToWriteError(
    `nothing is left to write: ${to.title} has no place for ${formatNameList([...tables.keys()])}`,
  );
}

/**
 * Checks the options that name Loom attributes.
 * @throws {InvalidInputError} if Loom attributes are named although neither side is Loom.
 */
function checkNames(source: Format, target: Format, wanted: string | undefined): void {
  if (wanted === undefined || (source === "loom") !== (target === "loom")) return;
  const problem = source === "loom" ? "Loom stays Loom, with the names that it has" : "no Loom is read or written";
  throw new InvalidInputError(`${problem}: there is no attribute of names to choose (--obs-attr, --var-attr)`);
}

/**
 * Checks the option that names MATLAB variables.
 * @throws {InvalidInputError} if MATLAB variables are named although the source is not MATLAB, or the target is MATLAB
 * as well.
 */
function checkElements(source: Format, target: Format, elements: ConversionOptions["elements"]): void {
  if (elements === undefined || (source === "matlab" && target !== "matlab")) return;
  const [name = "X"] = Object.keys(elements);
  const problem = source === "matlab" ? "variables stay variables" : `${source} says itself what its elements are`;
  throw new InvalidInputError(
    `${problem}: --X, --obs, --var and --element name variables of a .mat file that is converted`,
    {
      element: name,
    },
  );
}
