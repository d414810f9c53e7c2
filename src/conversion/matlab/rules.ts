/** Rules of conversion from and to MATLAB. */

import { type Beyond, kept, type Rules } from "../view/rules.js";

const COLUMNS = "obs, var";

const RULE_OF_ELEMENT: Rules = {
  X: kept("X", {
    reading: "or the variable that --X names; sparse, or dense as it is stored, with cells as rows",
    writing:
      "a sparse one by columns (CSC), as double; its type is remembered; integers beyond 2^53 are an error, with --lossy rounded",
  }),
  "layers/*": kept("layers.*", { reading: "or what --element layers/NAME=VARIABLE names", writing: "as X" }),
  "obs, var: index": kept(COLUMNS, {
    reading: "or what --obs and --var name: a table, a struct of columns (--index obs=FIELD), a list of names",
  }),
  "obs, var: columns of numbers or text": kept(COLUMNS),
  "obs, var: boolean columns": kept(COLUMNS, { writing: "logical" }),
  "obs, var: categorical columns": kept(COLUMNS, {
    reading: "categorical, or as they are written",
    writing: "a struct of codes and categories",
  }),
  "obs, var: missing values": kept(COLUMNS, {
    reading: "those of string, categorical, datetime, or as they are written",
    writing: "NaN or zero, and true in a field beside the columns",
  }),
  "obsm/*, varm/*: arrays": kept("obsm.*, varm.*"),
  "obsm/*, varm/*: dataframes": kept("obsm.*, varm.*"),
  "obsm/*, varm/*: sparse matrices": kept("obsm.*, varm.*"),
  "obsm/*, varm/*: ragged arrays": kept("obsm.*, varm.*", { writing: "a cell of lists" }),
  "obsp/*, varp/*": kept("obsp.*, varp.*", { writing: "two entries at one place are an error, with --lossy added up" }),
  "raw/*": kept("raw.X, raw.var, raw.varm.*"),
  "uns/*: scalars, arrays of numbers or text": kept("uns.*"),
  "uns/*: mappings, and everything else": kept("uns.*", { writing: "structs of structs" }),
  fragments: kept("fragments"),
};

const BEYOND: readonly Beyond[] = [
  { own: "variables of other names", note: "but those that --X, --obs, --var and --element name" },
];

export const RULES = { rules: RULE_OF_ELEMENT, beyond: BEYOND } as const;
