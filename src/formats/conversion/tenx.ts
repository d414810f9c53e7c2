/** 10x Genomics files <-> the annotated view: matrices, which are read under AnnData's names, and fragments. */

import { InvalidInputError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { anndata } from "./anndata.js";
import type { AnnotatedView, FormatConversion, FormatTables, ViewOptions } from "./view/format-conversion.js";
import { createReadOnlyRule, createUnchangedRule, createUnsupportedRule, type Rules } from "./view/rules.js";
import { formatNameList } from "./view/unsupported-elements.js";

const FRAGMENTS = /^(.*\/)?fragments$/;

/** Files with several genomes contain one matrix per genome: `hg19/X`. */
const OF_A_GENOME = /^(?!raw\/)(.+)\/X$/;

/** Fragments can be written, while a matrix can only be read. */
const RULES: Rules = {
  X: createReadOnlyRule("X"),
  "layers/*": createUnsupportedRule(),
  "obs, var: index": createReadOnlyRule("obs, var: index"),
  "obs, var: columns of numbers or text": createReadOnlyRule("obs, var: columns of numbers or text"),
  "obs, var: boolean columns": createReadOnlyRule("obs, var: boolean columns"),
  "obs, var: categorical columns": createUnsupportedRule(),
  "obs, var: missing values": createUnsupportedRule(),
  "obsm/*, varm/*: arrays": createUnsupportedRule(),
  "obsm/*, varm/*: dataframes": createUnsupportedRule(),
  "obsm/*, varm/*: sparse matrices": createUnsupportedRule(),
  "obsm/*, varm/*: ragged arrays": createUnsupportedRule(),
  "obsp/*, varp/*": createUnsupportedRule(),
  "raw/*": createUnsupportedRule(),
  "uns/*: scalars, arrays of numbers or text": createReadOnlyRule("uns/*: scalars, arrays of numbers or text"),
  "uns/*: mappings, and everything else": createReadOnlyRule("uns/*: mappings, and everything else"),
  fragments: createUnchangedRule("fragments"),
};

export const tenx: FormatConversion = {
  title: "a file of fragments",
  rules: RULES,
  beyond: [],
  isOwnName: () => false,
  axesOf(name) {
    const prefix = prefixOf(name);
    const [row, column] = anndata.axesOf(name.slice(prefix.length));
    return [row && `${prefix}${row}`, column && `${prefix}${column}`];
  },
  mainAxes(names) {
    const prefixes = new Set(names.filter((name) => /(^|\/)X$/.test(name)).map(prefixOf));
    const [prefix, ...others] = prefixes;
    if (prefix === undefined || others.length > 0) return null;
    return { obs: `${prefix}obs`, var: `${prefix}var`, rows: "obs" };
  },
  axesBeside: (name) => anndata.axesBeside(name).map((axis) => `${prefixOf(name)}${axis}`),
  onlyNames: anndata.onlyNames,
  asIndex: anndata.asIndex,
  fromIndex: anndata.fromIndex,
  toAnnotated,
  async fromAnnotated(view, { losses }) {
    const all = [...view.tables.keys()].filter((name) => FRAGMENTS.test(name));
    if (all.length !== 1) {
      if (all.length === 0) throw new InvalidInputError("no table of fragments");
      throw new InvalidInputError(`${all.length} tables of fragments: choose one (--table); ${formatNameList(all)}`);
    }
    const tables = new Map<string, ColumnTable>();
    for (const [name, table] of view.tables) {
      if (name === all[0]) tables.set("fragments", table);
      else if (!table.derived) losses.omit(name);
    }
    return { tables, shape: null };
  },
};

/** Returns `hg19/` for `hg19/X`, a name used in files with several genomes. */
function prefixOf(name: string): string {
  return /^(?!raw\/)(.+\/)(?:X|obs|var)$/.exec(name)?.[1] ?? "";
}

/**
 * Converts the tables of a single genome.
 * @throws {InvalidInputError} for several genomes.
 */
function toAnnotated(given: FormatTables, options: ViewOptions): AnnotatedView | Promise<AnnotatedView> {
  const genomes = [...given.tables.keys()].flatMap((name) => OF_A_GENOME.exec(name)?.[1] ?? []);
  if (genomes.length === 0) return anndata.toAnnotated(given, options);
  throw new InvalidInputError(
    `each genome is a dataset of its own: open one by its path (--path ${genomes[0]}); ${formatNameList(genomes)}`,
  );
}
