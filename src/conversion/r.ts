/**
 * R objects -> the annotated view. Their tables have the names of AnnData already, or of MuData where an object has
 * several datasets; a bare matrix has the tables that a matrix of BPCells has, features by cells.
 */

import { UnsupportedError } from "../model/errors.js";
import { anndata } from "./anndata.js";
import { bpcells } from "./bpcells.js";
import { mudata } from "./mudata.js";
import type { FormatConversion } from "./view/format-conversion.js";
import { type ElementRule, type Rules, readOnly, refused } from "./view/rules.js";

const rule = (own: string, reading?: string): ElementRule => readOnly(own, reading === undefined ? {} : { reading });

const RULES: Rules = {
  X: rule("the first assay, `data` of Seurat"),
  "layers/*": rule("assays, `counts` of Seurat"),
  "obs, var: index": rule("names of cells and features"),
  "obs, var: columns of numbers or text": rule("`colData`, `meta.data`, `rowData`"),
  "obs, var: boolean columns": rule("`logical`"),
  "obs, var: categorical columns": rule("`factor`"),
  "obs, var: missing values": rule("NA"),
  "obsm/*, varm/*: arrays": rule("`reducedDims`, `reductions`"),
  "obsm/*, varm/*: dataframes": rule("`rowRanges`"),
  "obsm/*, varm/*: sparse matrices": refused(),
  "obsm/*, varm/*: ragged arrays": refused(),
  "obsp/*, varp/*": rule("`colPairs`, `rowPairs`, `graphs`"),
  "raw/*": refused(),
  "uns/*: scalars, arrays of numbers or text": rule("`metadata`, `misc`"),
  "uns/*: mappings, and everything else": rule("lists in them"),
  fragments: refused(),
};

export const r: FormatConversion = {
  ...anndata,
  title: "R",
  rules: RULES,
  beyond: [{ own: "several assays or experiments", note: "modalities, of which one is chosen (`--modality`)" }],
  // No table without a format is taken for one of R's: AnnData has the same names.
  isOwnName: () => false,
  axesOf: (name) => (bpcells.isOwnName(name) && !name.includes("/") ? bpcells.axesOf(name) : mudata.axesOf(name)),
  mainAxes: (names) => (names.includes("matrix") ? bpcells.mainAxes(names) : anndata.mainAxes(names)),
  axesBeside: (name) =>
    bpcells.isOwnName(name) && !name.includes("/") ? bpcells.axesBeside(name) : mudata.axesBeside(name),
  onlyNames: (axis, parts, options) => (bpcells.isOwnName(axis) ? bpcells : anndata).onlyNames(axis, parts, options),
  asIndex: (names) => (bpcells.isOwnName(names.name) ? bpcells : anndata).asIndex(names),
  toAnnotated: (given, options) => (given.tables.has("matrix") ? bpcells : anndata).toAnnotated(given, options),
  fromAnnotated: () => Promise.reject(new UnsupportedError("R objects are read, but not written")),
};
