/** Elements under other names, such as a modality as a separate dataset or a layer as the main matrix. */

import { createTextColumn, decodeTextValues } from "../arrow/text.js";
import { InvalidInputError, NotFoundError } from "../model/errors.js";
import { findNearestNames } from "../model/nearest.js";
import type { ColumnTable } from "../tables/column-table.js";

/** Returns the new name of an element; null if the element is omitted. */
export type NewName = (name: string) => string | null;

export function listModalities(names: Iterable<string>): readonly string[] {
  return [...new Set([...names].flatMap((name) => /^mod\/([^/]+)\//.exec(name)?.[1] ?? []))];
}

/**
 * Returns the element names of one modality, without the modality prefix.
 * @throws {NotFoundError} if no table belongs to the modality.
 */
export function getModalityNewNames(names: readonly string[], modality: string): NewName {
  const prefix = `mod/${modality}/`;
  if (!names.some((name) => name.startsWith(prefix))) {
    const known = listModalities(names);
    const there =
      known.length === 0 ? "it has no modalities" : `did you mean ${findNearestNames(modality, known).join(", ")}?`;
    throw new NotFoundError(`no modality ${JSON.stringify(modality)}; ${there}`);
  }
  return (name) => (name.startsWith(prefix) ? name.slice(prefix.length) : null);
}

/** The element names in a dataset whose main matrix is replaced by another element. */
export interface PromotedNames {
  readonly nameOf: NewName;
  /** Elements that are left out because their name is taken or because they do not match the new matrix. */
  readonly leftOut: readonly string[];
}

/**
 * Makes a layer, or `raw/X`, the main matrix. `raw/var` and `raw/varm` move together with `raw/X`.
 * @param names names of all elements.
 * @param main the format's name for the main matrix: `matrix` in Loom, otherwise `X`.
 * @throws {NotFoundError} if the matrix does not exist; the message lists the available ones.
 */
export function promoteMatrixNames(names: readonly string[], wanted: string, main: string): PromotedNames {
  const matrices = names.filter((name) => /(^|\/)(layers\/.+|raw\/X)$/.test(name) || isNamed(name, main));
  if (!matrices.includes(wanted)) {
    const problem = names.includes(wanted) ? `${wanted} is no matrix of cells and genes` : `no matrix ${wanted}`;
    throw new NotFoundError(`${problem}; there are ${matrices.join(", ") || "no matrices"}`);
  }
  const prefix = wanted.replace(/(layers\/.+|raw\/X|[^/]+)$/, "");
  const isRaw = wanted === `${prefix}raw/X`;
  const nameOf = (name: string): string | null => {
    if (name === wanted) return `${prefix}${main}`;
    if (!name.startsWith(prefix)) return name;
    const own = name.slice(prefix.length);
    if (!isRaw) return own === main ? null : name;
    if (/^raw\/(var|varm\/.*)$/.test(own)) return `${prefix}${own.slice("raw/".length)}`;
    return /^(X|var|raw|(layers|varm|varp|raw)\/.*)$/.test(own) ? null : name;
  };
  return { nameOf, leftOut: names.filter((name) => name !== wanted && nameOf(name) === null) };
}

function isNamed(name: string, main: string): boolean {
  return name === main || name.endsWith(`/${main}`);
}

/**
 * Checks that a matrix has the dataset's shape.
 * @throws {InvalidInputError} if the shapes differ; the message contains both.
 */
export function checkMatrixShape(
  name: string,
  shape: readonly number[] | undefined,
  expected: readonly [number, number] | null,
): void {
  if (shape === undefined || expected === null) return;
  if (shape.length === 2 && shape.every((length, i) => length === expected[i])) return;
  throw new InvalidInputError(`its shape is ${shape.join(" x ")}, and the dataset's is ${expected.join(" x ")}`, {
    element: name,
  });
}

/** Renames a table. If the table lists a mapping's nodes, also changes their paths. */
export function renameColumnTable(table: ColumnTable, name: string): ColumnTable {
  const { only } = table;
  const listed = withPaths(table, (path) => replacePathPrefix(path, table.name, name));
  return {
    ...listed,
    name,
    asRead: null,
    layout: async (layout) => renameColumnTable(await table.layout(layout), name),
    only: only && ((fields) => renameColumnTable(only(fields), name)),
  };
}

/** Changes the paths in a table that lists a mapping's nodes. Returns other tables unchanged. */
export function withPaths(table: ColumnTable, pathOf: (path: string) => string): ColumnTable {
  const place = table.derived ? table.fields.findIndex((field) => field.name === "path") : -1;
  if (place < 0) return table;
  return {
    ...table,
    async *batches(options) {
      for await (const batch of table.batches(options)) {
        const columns = batch.columns.map((column, i) => {
          if (i !== place || column.layout !== "variable") return column;
          return createTextColumn(decodeTextValues(column).map((text) => text && pathOf(text)));
        });
        yield { ...batch, columns };
      }
    },
  };
}

/** Moves the path of a node below `from` to the corresponding path below `to`. */
function replacePathPrefix(path: string, from: string, to: string): string {
  return path === from || path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path;
}
