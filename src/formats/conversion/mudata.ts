/** MuData <-> the annotated view: each modality is a separate dataset, which is opened by its path. */

import { InvalidInputError } from "../../model/errors.js";
import { anndata } from "./anndata.js";
import type { FormatConversion } from "./view/format-conversion.js";
import {
  createReadOnlyRule,
  createUnsupportedRule,
  type ElementRule,
  type Rules,
  type ViewElement,
} from "./view/rules.js";
import { formatNameList } from "./view/unsupported-elements.js";

const OWN = /^(obs|var|(mod|obsm|varm|obsp|varp|obsmap|varmap|uns)(\/.*)?)$/;
const MODALITY = /^mod\/([^/]+)\//;

/** A modality has the same elements as an AnnData. */
const rule = (element: ViewElement): ElementRule =>
  element === "fragments"
    ? createUnsupportedRule()
    : createReadOnlyRule(`mod/<name>: ${element}`, { reading: "one modality at a time (`--modality <name>`)" });

const RULES: Rules = {
  X: rule("X"),
  "layers/*": rule("layers/*"),
  "obs, var: index": rule("obs, var: index"),
  "obs, var: columns of numbers or text": rule("obs, var: columns of numbers or text"),
  "obs, var: boolean columns": rule("obs, var: boolean columns"),
  "obs, var: categorical columns": rule("obs, var: categorical columns"),
  "obs, var: missing values": rule("obs, var: missing values"),
  "obsm/*, varm/*: arrays": rule("obsm/*, varm/*: arrays"),
  "obsm/*, varm/*: dataframes": rule("obsm/*, varm/*: dataframes"),
  "obsm/*, varm/*: sparse matrices": rule("obsm/*, varm/*: sparse matrices"),
  "obsm/*, varm/*: ragged arrays": rule("obsm/*, varm/*: ragged arrays"),
  "obsp/*, varp/*": rule("obsp/*, varp/*"),
  "raw/*": rule("raw/*"),
  "uns/*: scalars, arrays of numbers or text": rule("uns/*: scalars, arrays of numbers or text"),
  "uns/*: mappings, and everything else": rule("uns/*: mappings, and everything else"),
  fragments: rule("fragments"),
};

export const mudata: FormatConversion = {
  title: "MuData",
  rules: RULES,
  beyond: [{ own: "obs, var, obsm, varm, obsp, varp, uns, obsmap, varmap", note: "of the whole" }],
  isOwnName: (name) => OWN.test(name),
  axesOf(name) {
    const prefix = prefixOf(name);
    const [row, column] = anndata.axesOf(name.slice(prefix.length));
    return [row && `${prefix}${row}`, column && `${prefix}${column}`];
  },
  mainAxes: anndata.mainAxes,
  // The package mudata derives the obs and var of the file from the obs and var of its modalities.
  axesBeside: (name) =>
    anndata.axesBeside(name).flatMap((axis) => (prefixOf(name) === "" ? [] : `${prefixOf(name)}${axis}`)),
  onlyNames: anndata.onlyNames,
  asIndex: anndata.asIndex,
  fromIndex: anndata.fromIndex,
  toAnnotated({ tables }) {
    const all = [...new Set([...tables.keys()].flatMap((name) => MODALITY.exec(name)?.[1] ?? []))];
    const remedy = all.length === 0 ? "" : `: choose one (--modality ${all[0]})`;
    throw new InvalidInputError(
      `a MuData of ${all.length} ${all.length === 1 ? "modality" : "modalities"} (${formatNameList(all)}), each a dataset of its own${remedy}`,
    );
  },
  async fromAnnotated(view, options) {
    const { as } = options;
    if (as === null) {
      throw new InvalidInputError(
        "a MuData has named modalities, and nothing says how this one is called: name it (--as rna), or name the tables mod/<name>/X, mod/<name>/obs, …",
      );
    }
    if (/^\.{0,2}$|[/\0]/.test(as)) {
      throw new InvalidInputError(`${JSON.stringify(as)} cannot be the name of a modality: it is a name without /`);
    }
    const { tables } = await anndata.fromAnnotated(view, options);
    const named = [...tables].map(([name, table]) => [`mod/${as}/${name}`, table] as const);
    return { tables: new Map(named.map(([name, table]) => [name, { ...table, name }])), shape: null };
  },
};

/** Returns `mod/rna/` for `mod/rna/X`. */
function prefixOf(name: string): string {
  return MODALITY.exec(name)?.[0] ?? "";
}
