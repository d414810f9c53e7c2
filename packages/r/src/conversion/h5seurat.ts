/**
 * h5Seurat <-> the annotated view. Its tables already have AnnData's names, or MuData's if there are several assays. An
 * object with one assay can store only some of these elements.
 */

import type { FormatConversion } from "annarrow/core/formats";
import { anndata, createUnchangedRule, createUnsupportedRule, mudata, type Rules } from "annarrow/core/formats";
import type { ColumnTable } from "annarrow/core/tables";

const RULES: Rules = {
  X: createUnchangedRule("`data` of an assay"),
  "layers/*": createUnchangedRule("`counts`, `scale.data`", { writing: "other layers are refused" }),
  "obs, var: index": createUnchangedRule("`cell.names`, `features`", {
    writing: 'Seurat replaces "_" in names of features',
  }),
  "obs, var: columns of numbers or text": createUnchangedRule("`meta.data`, `meta.features`"),
  "obs, var: boolean columns": createUnchangedRule("R's logicals"),
  "obs, var: categorical columns": createUnchangedRule("R's factors", {
    writing: "SeuratDisk reads no order of levels; `ident` of obs becomes `active.ident`",
  }),
  "obs, var: missing values": createUnchangedRule("NA", {
    writing: 'missing text is an error, with --lossy `"NA"`; missing integers of 64 bits are doubles, or an error',
  }),
  "obsm/*, varm/*: arrays": createUnchangedRule("`reductions`", {
    writing: "varm: loadings of an element of obsm, others are refused",
  }),
  "obsm/*, varm/*: dataframes": createUnsupportedRule(),
  "obsm/*, varm/*: sparse matrices": createUnsupportedRule(),
  "obsm/*, varm/*: ragged arrays": createUnsupportedRule(),
  "obsp/*, varp/*": createUnchangedRule("`graphs`, `neighbors`", { writing: "sparse ones of obsp" }),
  "raw/*": createUnsupportedRule(),
  "uns/*: scalars, arrays of numbers or text": createUnchangedRule("`misc`, `tools`", { writing: "below `misc`" }),
  "uns/*: mappings, and everything else": createUnchangedRule("lists in them", {
    writing: "null and ragged arrays are refused",
  }),
  fragments: createUnsupportedRule(),
};

const LAYERS = /^layers\/(counts|scale\.data)$/;
const OWN = /^(X|obs|var|(obsm|varm|obsp)\/[^/]+|uns(\/.*)?)$/;

export const h5seurat: FormatConversion = {
  ...anndata,
  title: "h5Seurat",
  rules: RULES,
  beyond: [{ own: "several assays", note: "modalities, of which one is chosen (`--modality`)" }],
  // A table without a format is never assumed to be Seurat's, because AnnData has the same names.
  isOwnName: () => false,
  holdsAll: true,
  axesOf: mudata.axesOf,
  axesBeside: mudata.axesBeside,
  async fromAnnotated(view, options) {
    const { tables, shape } = await anndata.fromAnnotated(view, options);
    const kept = new Map<string, ColumnTable>();
    for (const [name, table] of tables) {
      if (OWN.test(name) || LAYERS.test(name)) kept.set(name, table);
      else options.losses.omit(name);
    }
    return { tables: kept, shape };
  },
};
