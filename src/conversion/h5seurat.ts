/**
 * h5Seurat <-> the annotated view. Its tables already have AnnData's names, or MuData's for several assays. An object
 * of one assay can store only some of their elements.
 */

import type { ColumnTable } from "../tables/column-table.js";
import { anndata } from "./anndata.js";
import { mudata } from "./mudata.js";
import type { FormatConversion } from "./view/format-conversion.js";
import { kept, type Rules, refused } from "./view/rules.js";

const RULES: Rules = {
  X: kept("`data` of an assay"),
  "layers/*": kept("`counts`, `scale.data`", { writing: "other layers are refused" }),
  "obs, var: index": kept("`cell.names`, `features`", { writing: 'Seurat replaces "_" in names of features' }),
  "obs, var: columns of numbers or text": kept("`meta.data`, `meta.features`"),
  "obs, var: boolean columns": kept("R's logicals"),
  "obs, var: categorical columns": kept("R's factors", {
    writing: "SeuratDisk reads no order of levels; `ident` of obs becomes `active.ident`",
  }),
  "obs, var: missing values": kept("NA", {
    writing: 'missing text is an error, with --lossy `"NA"`; missing integers of 64 bits are doubles, or an error',
  }),
  "obsm/*, varm/*: arrays": kept("`reductions`", {
    writing: "varm: loadings of an element of obsm, others are refused",
  }),
  "obsm/*, varm/*: dataframes": refused(),
  "obsm/*, varm/*: sparse matrices": refused(),
  "obsm/*, varm/*: ragged arrays": refused(),
  "obsp/*, varp/*": kept("`graphs`, `neighbors`", { writing: "sparse ones of obsp" }),
  "raw/*": refused(),
  "uns/*: scalars, arrays of numbers or text": kept("`misc`, `tools`", { writing: "below `misc`" }),
  "uns/*: mappings, and everything else": kept("lists in them", { writing: "null and ragged arrays are refused" }),
  fragments: refused(),
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
