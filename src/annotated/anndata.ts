/** AnnData and the annotated view, which has its words. */

import { InvalidInputError } from "../errors.js";
import { axesOf } from "../tables/axes.js";
import type { ColumnTable } from "../tables/column-table.js";
import type { AnnotatedFormat, AnnotatedRule } from "./annotated.js";
import { lose, shown } from "./losses.js";

/** Everything that AnnData has is the view; what other formats have besides has no place in it. */
const RULES: readonly AnnotatedRule[] = [
  ...[
    "X",
    "layers/*",
    "obs",
    "var",
    "obsm/*",
    "varm/*",
    "obsp/*",
    "varp/*",
    "raw/X",
    "raw/var",
    "raw/varm/*",
    "uns",
  ].map((name) => ({ annotated: name, own: name })),
  { annotated: "fragments", own: null },
];

const OWN = /^(X|obs|var|(layers|obsm|varm|obsp|varp|raw|uns)(\/.*)?)$/;

export const anndata: AnnotatedFormat = {
  title: "AnnData",
  rules: RULES,
  isOwnName: (name) => OWN.test(name),
  namesOf: (name) => (isMatrix(name) ? axesOf(name).flatMap((axis) => axis ?? []) : []),
  toAnnotated: (given, { matrix }) => ({ ...given, matrix: chosenMatrix(given.tables, matrix) }),
  async fromAnnotated(view, { losses }) {
    const tables = new Map<string, ColumnTable>();
    for (const [name, table] of view.tables) {
      if (OWN.test(name)) tables.set(name, table);
      else lose(losses, name);
    }
    return { tables, shape: view.shape };
  },
};

/**
 * The one that is named, else X, else the only other one.
 * @throws {InvalidInputError} where there are several and no X.
 */
function chosenMatrix(tables: ReadonlyMap<string, ColumnTable>, wanted: string | null): string {
  const all = [...tables.keys()].filter(isMatrix);
  if (wanted !== null) {
    if (all.includes(wanted)) return wanted;
    throw new InvalidInputError(`no matrix of that name is converted; there are ${shown(all)}`, { element: wanted });
  }
  if (all.includes("X") || all.length === 0) return "X";
  if (all.length === 1) return all[0];
  throw new InvalidInputError(`${all.length} matrices and no X: say which is the matrix (--matrix); ${shown(all)}`);
}

/** Whether it has observations as rows and variables as columns. */
function isMatrix(name: string): boolean {
  const [row, column] = axesOf(name);
  return row === "obs" && column !== null && column !== "obs";
}
