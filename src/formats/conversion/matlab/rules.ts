/** Rules of conversion from and to MATLAB. */

import { createUnchangedRule, type Rules, type UnmappedElement } from "../view/rules.js";

const COLUMNS = "obs, var";

const RULE_OF_ELEMENT: Rules = {
  X: createUnchangedRule("X", {
    reading: "or the variable that --X names; sparse, or dense as it is stored, with cells as rows",
    writing:
      "a sparse one by columns (CSC), as double; its type is remembered; integers beyond 2^53 are an error, with --lossy rounded",
  }),
  "layers/*": createUnchangedRule("layers.*", {
    reading: "or what --element layers/NAME=VARIABLE names",
    writing: "as X",
  }),
  "obs, var: index": createUnchangedRule(COLUMNS, {
    reading: "or what --obs and --var name: a table, a struct of columns (--index obs=FIELD), a list of names",
  }),
  "obs, var: columns of numbers or text": createUnchangedRule(COLUMNS),
  "obs, var: boolean columns": createUnchangedRule(COLUMNS, { writing: "logical" }),
  "obs, var: categorical columns": createUnchangedRule(COLUMNS, {
    reading: "categorical, or as they are written",
    writing: "a struct of codes and categories",
  }),
  "obs, var: missing values": createUnchangedRule(COLUMNS, {
    reading: "those of string, categorical, datetime, or as they are written",
    writing: "NaN or zero, and true in a field beside the columns",
  }),
  "obsm/*, varm/*: arrays": createUnchangedRule("obsm.*, varm.*"),
  "obsm/*, varm/*: dataframes": createUnchangedRule("obsm.*, varm.*"),
  "obsm/*, varm/*: sparse matrices": createUnchangedRule("obsm.*, varm.*"),
  "obsm/*, varm/*: ragged arrays": createUnchangedRule("obsm.*, varm.*", { writing: "a cell of lists" }),
  "obsp/*, varp/*": createUnchangedRule("obsp.*, varp.*", {
    writing: "two entries at one place are an error, with --lossy added up",
  }),
  "raw/*": createUnchangedRule("raw.X, raw.var, raw.varm.*"),
  "uns/*: scalars, arrays of numbers or text": createUnchangedRule("uns.*"),
  "uns/*: mappings, and everything else": createUnchangedRule("uns.*", { writing: "structs of structs" }),
  fragments: createUnchangedRule("fragments"),
};

const BEYOND: readonly UnmappedElement[] = [
  { own: "variables of other names", note: "but those that --X, --obs, --var and --element name" },
];

export const RULES = { rules: RULE_OF_ELEMENT, beyond: BEYOND } as const;
