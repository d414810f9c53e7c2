/** h5Seurat -> the annotated view. Its tables have the names of AnnData already, or of MuData for several assays. */

import { UnsupportedError } from "../model/errors.js";
import { anndata } from "./anndata.js";
import { mudata } from "./mudata.js";
import type { FormatConversion } from "./view/format-conversion.js";
import { type ElementRule, type Rules, readOnly, refused } from "./view/rules.js";

const rule = (own: string): ElementRule => readOnly(own);

const RULES: Rules = {
  X: rule("`data` of an assay"),
  "layers/*": rule("`counts`, `scale.data`"),
  "obs, var: index": rule("`cell.names`, `features`"),
  "obs, var: columns of numbers or text": rule("`meta.data`, `meta.features`"),
  "obs, var: boolean columns": rule("logicals"),
  "obs, var: categorical columns": rule("factors"),
  "obs, var: missing values": rule("NA"),
  "obsm/*, varm/*: arrays": rule("`reductions`"),
  "obsm/*, varm/*: dataframes": refused(),
  "obsm/*, varm/*: sparse matrices": refused(),
  "obsm/*, varm/*: ragged arrays": refused(),
  "obsp/*, varp/*": rule("`graphs`"),
  "raw/*": refused(),
  "uns/*: scalars, arrays of numbers or text": rule("`misc`"),
  "uns/*: mappings, and everything else": rule("lists in `misc`"),
  fragments: refused(),
};

export const h5seurat: FormatConversion = {
  ...anndata,
  title: "h5Seurat",
  rules: RULES,
  beyond: [{ own: "several assays", note: "modalities, of which one is chosen (`--modality`)" }],
  // No table without a format is taken for one of Seurat's: AnnData has the same names.
  isOwnName: () => false,
  holdsAll: false,
  axesOf: mudata.axesOf,
  axesBeside: mudata.axesBeside,
  fromAnnotated: () => Promise.reject(new UnsupportedError("h5Seurat is read, but not written")),
};
