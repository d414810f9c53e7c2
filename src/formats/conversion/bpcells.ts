/** BPCells <-> the annotated view. By convention, BPCells matrices have features as rows and cells as columns. */

import { InvalidInputError } from "../../model/errors.js";
import { getElementAxes } from "../../tables/axes.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { getFrameNames, toNamesFrame } from "./view/axis-names.js";
import type { AnnotatedView, FormatConversion, FormatTables, ViewOptions } from "./view/format-conversion.js";
import { findMatrixShape } from "./view/lengths.js";
import { toSparseForm, transposeMatrix } from "./view/matrix-forms.js";
import { createUnchangedRule, createUnsupportedRule, type Rules } from "./view/rules.js";
import { formatNameList } from "./view/unsupported-elements.js";

const RULES: Rules = {
  X: createUnchangedRule("matrix", {
    reading: "transposed: cells x features, and no entry moves",
    writing: "transposed: features x cells",
  }),
  "layers/*": createUnsupportedRule("but for one that is chosen as the matrix"),
  "obs, var: index": createUnchangedRule("col_names, row_names"),
  "obs, var: columns of numbers or text": createUnsupportedRule(),
  "obs, var: boolean columns": createUnsupportedRule(),
  "obs, var: categorical columns": createUnsupportedRule(),
  "obs, var: missing values": createUnsupportedRule(),
  "obsm/*, varm/*: arrays": createUnsupportedRule(),
  "obsm/*, varm/*: dataframes": createUnsupportedRule(),
  "obsm/*, varm/*: sparse matrices": createUnsupportedRule(),
  "obsm/*, varm/*: ragged arrays": createUnsupportedRule(),
  "obsp/*, varp/*": createUnsupportedRule(),
  "raw/*": createUnsupportedRule("but where raw/X is chosen as the matrix, named by raw/var"),
  "uns/*: scalars, arrays of numbers or text": createUnsupportedRule(),
  "uns/*: mappings, and everything else": createUnsupportedRule(),
  fragments: createUnchangedRule("fragments"),
};

/** The tables of names, by axis of the view. */
const AXES = { obs: "col_names", var: "row_names" } as const;

export const bpcells: FormatConversion = {
  title: "BPCells",
  rules: RULES,
  beyond: [{ own: "matrices other than the chosen one" }],
  isOwnName: (name) => /^(.*\/)?(matrix|row_names|col_names)$/.test(name),
  axesOf(name) {
    if (prefixOf(name, AXES.obs) !== null || prefixOf(name, AXES.var) !== null) return [name, null];
    return prefixOf(name, "matrix") === null ? [null, null] : axesBeside(name);
  },
  mainAxes(names) {
    const matrices = names.filter((name) => prefixOf(name, "matrix") !== null);
    if (matrices.length !== 1) return null;
    const [rows, cols] = axesBeside(matrices[0]);
    return { obs: cols, var: rows, rows: "var" };
  },
  axesBeside,
  onlyNames: (axis, parts) => parts.get(axis) ?? null,
  asIndex: (names) => toNamesFrame(names, names.name),
  fromIndex: (frame, axis) => getFrameNames(frame, axis, undefined).names,
  toAnnotated,
  fromAnnotated,
};

function axesBeside(name: string): readonly [string, string] {
  const prefix = name.slice(0, name.lastIndexOf("/") + 1);
  return [`${prefix}${AXES.var}`, `${prefix}${AXES.obs}`];
}

async function toAnnotated(given: FormatTables, options: ViewOptions): Promise<AnnotatedView> {
  const matrix = chosenMatrix(given.tables, options);
  const prefix = matrix === null ? onlyPrefix(given.tables) : prefixOf(matrix, "matrix");
  const tables = new Map<string, ColumnTable>();
  for (const [name, table] of given.tables) {
    // A single matrix in an R object may be dense.
    if (name === matrix) tables.set("X", transposeMatrix(await toSparseForm(table), "X"));
    else if (prefix !== null && name === `${prefix}${AXES.obs}`) tables.set("obs", toNamesFrame(table, "obs"));
    else if (prefix !== null && name === `${prefix}${AXES.var}`) tables.set("var", toNamesFrame(table, "var"));
    else tables.set(name, table);
  }
  const { shape } = given;
  const origins = new Map([
    ["X", matrix ?? "X"],
    ...Object.entries(AXES).map(([axis, own]) => [axis, `${prefix ?? ""}${own}`] as const),
  ]);
  return {
    ...{ tables, shape: shape === null ? null : ([shape[1], shape[0]] as const), matrix: "X" },
    origin: (name) => origins.get(name) ?? name,
  };
}

/**
 * Returns the matrix that the caller selects, else the only matrix.
 * @throws {InvalidInputError} if there are several matrices, and the caller selects none.
 */
function chosenMatrix(
  tables: ReadonlyMap<string, ColumnTable>,
  { matrix: wanted, chooser }: Pick<ViewOptions, "matrix" | "chooser">,
): string | null {
  const all = [...tables.keys()].filter((name) => prefixOf(name, "matrix") !== null);
  if (wanted !== null) {
    if (all.includes(wanted)) return wanted;
    throw new InvalidInputError(`no matrix of that name is converted; there are ${formatNameList(all)}`, {
      element: wanted,
    });
  }
  if (all.length <= 1) return all[0] ?? null;
  throw new InvalidInputError(
    `${all.length} matrices, and one is converted: choose it (${chooser}); ${formatNameList(all)}`,
  );
}

/** Returns the common prefix of tables that contain names but no matrix; null for other tables. */
function onlyPrefix(tables: ReadonlyMap<string, ColumnTable>): string | null {
  const prefixes = [...tables.keys()].flatMap((name) =>
    Object.values(AXES).flatMap((own) => prefixOf(name, own) ?? []),
  );
  return new Set(prefixes).size === 1 ? prefixes[0] : null;
}

/** Returns `rna/` for `rna/matrix`, `""` for `matrix`, null for any other name. */
function prefixOf(name: string, own: string): string | null {
  return name === own || name.endsWith(`/${own}`) ? name.slice(0, name.length - own.length) : null;
}

async function fromAnnotated(view: AnnotatedView, options: ViewOptions): Promise<FormatTables> {
  const { losses, index } = options;
  const matrix = view.tables.get(view.matrix);
  const [obs, variables] = matrix === undefined ? [null, null] : getElementAxes(view.matrix);
  const tables = new Map<string, ColumnTable>();
  if (matrix !== undefined) {
    const sparse = await toSparseForm(matrix);
    tables.set("matrix", transposeMatrix(sparse, "matrix"));
  }
  for (const [name, table] of view.tables) {
    if (table.derived || table === matrix) continue;
    if (name === obs || name === variables) {
      const own = name === obs ? AXES.obs : AXES.var;
      const { names, columns, unnamed } = getFrameNames(table, own, index[name]);
      if (unnamed !== null) losses.note(name, unnamed);
      if (names !== null) tables.set(own, names);
      if (columns.length > 0) losses.add(name, `its columns (${formatNameList(columns)})`);
    } else if (prefixOf(name, "fragments") !== null) tables.set(name, table);
    else losses.omit(name);
  }
  const shape = matrix === undefined ? null : findMatrixShape(view, matrix, [obs, variables]);
  return { tables, shape: shape === null ? null : [shape[1], shape[0]] };
}
