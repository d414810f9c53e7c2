/**
 * Generic HDF5 and Zarr <-> the annotated view. Generic tables may have any name; other formats use only the tables
 * whose names come from AnnData. Tables of every format can be written as generic arrays, under their own names.
 */

import { anndata } from "./anndata.js";
import type { FormatConversion } from "./view/format-conversion.js";
import { createUnchangedRule, type Rules } from "./view/rules.js";

const RULES: Rules = {
  X: createUnchangedRule("an array or a record array of that name"),
  "layers/*": createUnchangedRule("arrays in a group"),
  "obs, var: index": createUnchangedRule("a field of the records"),
  "obs, var: columns of numbers or text": createUnchangedRule("fields of records"),
  "obs, var: boolean columns": createUnchangedRule("fields of records"),
  "obs, var: categorical columns": createUnchangedRule("fields of records, enums"),
  "obs, var: missing values": createUnchangedRule("fields of records"),
  "obsm/*, varm/*: arrays": createUnchangedRule("arrays in a group"),
  "obsm/*, varm/*: dataframes": createUnchangedRule("record arrays"),
  "obsm/*, varm/*: sparse matrices": createUnchangedRule("record arrays of entries"),
  "obsm/*, varm/*: ragged arrays": createUnchangedRule("sequences"),
  "obsp/*, varp/*": createUnchangedRule("record arrays of entries"),
  "raw/*": createUnchangedRule("arrays in a group"),
  "uns/*: scalars, arrays of numbers or text": createUnchangedRule("arrays in a group"),
  "uns/*: mappings, and everything else": createUnchangedRule("groups"),
  fragments: createUnchangedRule("a record array"),
};

function plain(title: string): FormatConversion {
  return {
    ...anndata,
    title,
    rules: RULES,
    beyond: [],
    // An array may have any name.
    isOwnName: () => false,
    axesOf: () => [null, null],
    mainAxes: () => null,
    axesBeside: () => [],
    onlyNames: () => null,
    fromIndex: () => null,
    toAnnotated: (given, options) => anndata.toAnnotated({ ...given, shape: null }, options),
    fromAnnotated: async ({ tables, shape }) => ({ tables, shape }),
  };
}

export const hdf5 = plain("HDF5");
export const zarr = plain("Zarr");
