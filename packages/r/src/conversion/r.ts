/**
 * R objects <-> the annotated view. Their tables already have AnnData's names, or MuData's if an object has several
 * datasets. A bare matrix has the tables of a BPCells matrix, features by cells.
 */

import type { FormatConversion } from "annarrow/core/formats";
import {
  anndata,
  bpcells,
  createUnchangedRule,
  createUnsupportedRule,
  mudata,
  type Rules,
} from "annarrow/core/formats";

/** The rules for SingleCellExperiment. Notes describe how Seurat differs. */
const RULES: Rules = {
  X: createUnchangedRule("an assay; `data` of Seurat", { writing: "transposed: features x cells" }),
  "layers/*": createUnchangedRule("assays", { writing: "Seurat 4 has `counts` and `scale.data`, Seurat 5 all" }),
  "obs, var: index": createUnchangedRule("names of cells and features", { writing: "each one once in Seurat" }),
  "obs, var: columns of numbers or text": createUnchangedRule("`colData`, `rowData`; `meta.data`, `meta.features`"),
  "obs, var: boolean columns": createUnchangedRule("`logical`", {
    writing: "`highly_variable` also as the variable features of Seurat",
  }),
  "obs, var: categorical columns": createUnchangedRule("`factor`", { writing: "levels are text" }),
  "obs, var: missing values": createUnchangedRule("NA"),
  "obsm/*, varm/*: arrays": createUnchangedRule("`reducedDims`; `reductions`", {
    writing: "`varm` as columns of `rowData`; in Seurat as loadings of a reduction of its name",
  }),
  "obsm/*, varm/*: dataframes": createUnchangedRule("`reducedDims`, `rowRanges`", {
    writing: "`obsm` alone, and not in Seurat",
  }),
  "obsm/*, varm/*: sparse matrices": createUnchangedRule("`reducedDims`", {
    writing: "`obsm` alone, and not in Seurat",
  }),
  "obsm/*, varm/*: ragged arrays": createUnsupportedRule(),
  "obsp/*, varp/*": createUnchangedRule("`colPairs`, `rowPairs`; `graphs`", {
    writing: "sparse ones; `varp` not in Seurat",
  }),
  "raw/*": {
    ...{ own: "the alternative experiment, or the assay, `raw`", read: null, write: "kept" },
    writing: "`raw/varm`: arrays, not in Seurat",
  },
  "uns/*: scalars, arrays of numbers or text": createUnchangedRule("`metadata`; `misc`"),
  "uns/*: mappings, and everything else": createUnchangedRule("lists in them"),
  fragments: createUnsupportedRule(),
};

export const r: FormatConversion = {
  ...anndata,
  title: "R",
  rules: RULES,
  beyond: [{ own: "several assays or experiments", note: "modalities, of which one is chosen (`--modality`)" }],
  // R objects store modalities unchanged; a single matrix becomes a dataset.
  vocabularyOf: (own, names) => {
    if (own === "mudata") return "r";
    return own === "r" && names.includes("matrix") ? "bpcells" : own;
  },
  // A table without a format is never assumed to be R's, because AnnData has the same names.
  isOwnName: () => false,
  axesOf: (name) => (bpcells.isOwnName(name) && !name.includes("/") ? bpcells.axesOf(name) : mudata.axesOf(name)),
  mainAxes: (names) => (names.includes("matrix") ? bpcells.mainAxes(names) : anndata.mainAxes(names)),
  axesBeside: (name) =>
    bpcells.isOwnName(name) && !name.includes("/") ? bpcells.axesBeside(name) : mudata.axesBeside(name),
  onlyNames: (axis, parts, options) => (bpcells.isOwnName(axis) ? bpcells : anndata).onlyNames(axis, parts, options),
  asIndex: (names) => (bpcells.isOwnName(names.name) ? bpcells : anndata).asIndex(names),
  toAnnotated: (given, options) => (given.tables.has("matrix") ? bpcells : anndata).toAnnotated(given, options),
  // The class of the written object determines which elements can be stored: see the writer of that class.
  fromAnnotated: anndata.fromAnnotated,
};
