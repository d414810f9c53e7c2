/** Rules of conversion from and to Loom. */

import { createUnchangedRule, createUnsupportedRule, type Rules, type UnmappedElement } from "../view/rules.js";

const RULE_OF_ELEMENT: Rules = {
  X: createUnchangedRule("matrix", {
    reading: "the non-zeros, transposed: in column order (CSC)",
    writing: "all values, zeros that were stored among them",
  }),
  "layers/*": createUnchangedRule("layers/*", { reading: "as X", writing: "as X" }),
  "obs, var: index": createUnchangedRule("col_attrs/CellID, row_attrs/Gene", {
    reading: "else obs_names and var_names, cell_names and gene_names, or what --obs-attr and --var-attr say",
    writing: "or as --obs-attr and --var-attr say; where a column has that name and other values, it is an error",
  }),
  "obs, var: columns of numbers or text": createUnchangedRule("col_attrs/*, row_attrs/*"),
  "obs, var: boolean columns": {
    ...{ own: "col_attrs/*, row_attrs/*", read: "kept", write: "converted" },
    ...{ reading: "HDF5 enums of FALSE and TRUE", writing: "0 and 1" },
  },
  "obs, var: categorical columns": {
    ...{ own: "col_attrs/*, row_attrs/*", read: "kept", write: "converted" },
    ...{ reading: "HDF5 enums, as R writes factors", writing: "text; the order of the categories is not kept" },
  },
  "obs, var: missing values": {
    ...{ own: "col_attrs/*, row_attrs/*", read: "kept", write: "refused" },
    ...{
      reading: "logicals of R",
      writing: "with --lossy numbers that stand for them: NaN, -1, or the like, and empty text",
    },
  },
  "obsm/*, varm/*: arrays": createUnchangedRule("col_attrs/*, row_attrs/*", {
    reading: "attributes of several dimensions",
  }),
  "obsm/*, varm/*: dataframes": {
    ...{ own: "col_attrs/*, row_attrs/*", read: "kept", write: "refused" },
    ...{ reading: "compounds, as those of SCENIC", writing: "compounds are outside the specification" },
  },
  "obsm/*, varm/*: sparse matrices": createUnsupportedRule("with --layout dense they are arrays"),
  "obsm/*, varm/*: ragged arrays": createUnsupportedRule(),
  "obsp/*, varp/*": createUnchangedRule("col_graphs/*, row_graphs/*", {
    reading: "the end a is the row; also col_edges, row_edges",
  }),
  "raw/*": createUnsupportedRule("but where raw/X is chosen as the matrix"),
  "uns/*: scalars, arrays of numbers or text": createUnchangedRule("attrs/*", {
    reading: "but LOOM_SPEC_VERSION; MetaData stays the text that is stored",
  }),
  "uns/*: mappings, and everything else": {
    ...{ own: "attrs/*/*", read: "kept", write: "refused" },
    ...{ reading: "groups among the global attributes" },
  },
  fragments: createUnsupportedRule(),
};

const BEYOND: readonly UnmappedElement[] = [
  { own: "col_attrs/*, row_attrs/*: groups", note: "as old releases of LoomExperiment wrote them" },
  { own: "other groups and arrays of the root" },
];

export const RULES = { rules: RULE_OF_ELEMENT, beyond: BEYOND } as const;
