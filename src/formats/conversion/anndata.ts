/** AnnData <-> the annotated view. Both use AnnData's names, so every element keeps its name. */

import { InvalidInputError } from "../../model/errors.js";
import { getElementAxes } from "../../tables/axes.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { indexOnly } from "./view/axis-names.js";
import type { AnnotatedView, FormatConversion } from "./view/format-conversion.js";
import { createUnchangedRule, createUnsupportedRule, type Rules } from "./view/rules.js";
import { formatNameList } from "./view/unsupported-elements.js";

/** AnnData can store every element of the view except fragments. */
const RULES: Rules = {
  X: createUnchangedRule("X"),
  "layers/*": createUnchangedRule("layers/*"),
  "obs, var: index": createUnchangedRule("obs, var: index"),
  "obs, var: columns of numbers or text": createUnchangedRule("obs, var: columns of numbers or text"),
  "obs, var: boolean columns": createUnchangedRule("obs, var: boolean columns"),
  "obs, var: categorical columns": createUnchangedRule("obs, var: categorical columns"),
  "obs, var: missing values": createUnchangedRule("obs, var: missing values"),
  "obsm/*, varm/*: arrays": createUnchangedRule("obsm/*, varm/*: arrays"),
  "obsm/*, varm/*: dataframes": createUnchangedRule("obsm/*, varm/*: dataframes"),
  "obsm/*, varm/*: sparse matrices": createUnchangedRule("obsm/*, varm/*: sparse matrices"),
  "obsm/*, varm/*: ragged arrays": createUnchangedRule("obsm/*, varm/*: ragged arrays"),
  "obsp/*, varp/*": createUnchangedRule("obsp/*, varp/*"),
  "raw/*": createUnchangedRule("raw/*"),
  "uns/*: scalars, arrays of numbers or text": createUnchangedRule("uns/*: scalars, arrays of numbers or text"),
  "uns/*: mappings, and everything else": createUnchangedRule("uns/*: mappings, and everything else"),
  fragments: createUnsupportedRule(),
};

const OWN = /^(X|obs|var|(layers|obsm|varm|obsp|varp|raw|uns)(\/.*)?)$/;

export const anndata: FormatConversion = {
  title: "AnnData",
  rules: RULES,
  beyond: [],
  isOwnName: (name) => OWN.test(name),
  axesOf: getElementAxes,
  mainAxes: () => ({ obs: "obs", var: "var", rows: "obs" }),
  axesBeside: () => ["obs", "var"],
  onlyNames(axis, parts, { index }) {
    const frame = parts.get(axis);
    return frame === undefined || frame.derived ? null : indexOnly(frame, index[axis]);
  },
  asIndex: (names) => names,
  fromIndex: (frame, axis) => ({ ...frame, name: axis }),
  holdsAll: true,
  toAnnotated: (given, { matrix, holdsAll }) => ({ ...given, matrix: chosenMatrix(given.tables, matrix, holdsAll) }),
  async fromAnnotated(view, { losses }) {
    const tables = new Map<string, ColumnTable>();
    for (const [name, table] of matrixFirst(view)) {
      if (OWN.test(name)) tables.set(name, table);
      else losses.omit(name);
    }
    return { tables, shape: view.shape };
  },
};

/**
 * Returns the matrix that the caller selects, else X, else the only other matrix.
 * @param holdsAll whether the target needs no main matrix.
 * @throws {InvalidInputError} if there are several matrices but no X.
 */
function chosenMatrix(tables: ReadonlyMap<string, ColumnTable>, wanted: string | null, holdsAll: boolean): string {
  const all = [...tables.keys()].filter(isMatrix);
  if (wanted !== null) {
    if (all.includes(wanted)) return wanted;
    throw new InvalidInputError(`no matrix of that name is converted; there are ${formatNameList(all)}`, {
      element: wanted,
    });
  }
  if (all.includes("X") || all.length === 0 || holdsAll) return "X";
  if (all.length === 1) return all[0];
  throw new InvalidInputError(
    `${all.length} matrices and no X: say which is the matrix (--matrix); ${formatNameList(all)}`,
  );
}

/** Makes the selected layer X, and turns the former X into the layer `matrix`, as anndata's Loom reader names it. */
function matrixFirst({ tables, matrix }: AnnotatedView): ReadonlyMap<string, ColumnTable> {
  const chosen = tables.get(matrix);
  if (matrix === "X" || chosen === undefined || !matrix.startsWith("layers/")) return tables;
  const renamed = new Map<string, ColumnTable>();
  for (const [name, table] of tables) {
    const place = table === chosen ? "X" : name === "X" ? "layers/matrix" : name;
    if (renamed.has(place)) {
      throw new InvalidInputError(`there is a ${place}, and X would be called so: leave one out (--table)`, {
        element: name,
      });
    }
    renamed.set(place, place === name ? table : { ...table, name: place });
  }
  return renamed;
}

/** Whether the table is a matrix with observations as rows and variables as columns. */
function isMatrix(name: string): boolean {
  const [row, column] = getElementAxes(name);
  return row === "obs" && column !== null && column !== "obs";
}
