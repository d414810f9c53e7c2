/** BPCells tables, grouped by object: a matrix with its names, or fragments. */

import { InvalidInputError, NothingToWriteError } from "../../../model/errors.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import { formatNameList, UnsupportedElements } from "../view/unsupported-elements.js";

const ELEMENT = /^(?:(.*)\/)?(matrix|row_names|col_names|fragments)$/;

/** The content of one group: a matrix with its names, or fragments. */
export interface StoredObject {
  /** Path of the group, derived from the tables' names; `""` for the root. */
  readonly path: string;
  readonly content: "matrix" | "fragments";
  readonly tables: Map<string, { readonly name: string; readonly table: ColumnTable }>;
}

/**
 * Groups tables into objects.
 * @throws {InvalidInputError} for names without a matrix, and for tables that do not belong to BPCells, unless losses
 * are allowed.
 * @throws {NothingToWriteError} if no object is left.
 */
export function toBpcellsObjects(
  tables: ReadonlyMap<string, ColumnTable>,
  lossy: boolean,
): { readonly objects: readonly StoredObject[]; readonly warnings: readonly string[] } {
  const objects = new Map<string, StoredObject>();
  const losses = new UnsupportedElements("BPCells");
  for (const [name, table] of tables) {
    const [, path = "", own] = ELEMENT.exec(name) ?? [];
    if (own === undefined) {
      if (!table.derived) losses.omit(name);
      continue;
    }
    const content = own === "fragments" ? own : "matrix";
    const key = `${content}:${path}`;
    const object = objects.get(key) ?? { path, content, tables: new Map() };
    objects.set(key, object);
    object.tables.set(own, { name, table });
  }
  for (const [key, { content, tables: own }] of objects) {
    if (own.has(content) || !lossy) continue;
    objects.delete(key);
    for (const { name } of own.values()) losses.add(name, "names without a matrix");
  }
  const warnings = losses.settle(lossy);
  for (const { path, content, tables: own } of objects.values()) {
    if (own.has(content)) continue;
    throw new InvalidInputError(`names without a matrix${path === "" ? "" : ` at ${path}`}`, {
      element: [...own.values()][0]?.name ?? path,
    });
  }
  if (objects.size === 0) throw new NothingToWriteError("neither a matrix nor fragments to write");
  return { objects: [...objects.values()], warnings };
}

/**
 * Returns the tables by the paths at which they are written. Only HDF5 and lists in R objects have paths.
 * @param group the path of the group to be written.
 * @throws {InvalidInputError} for several objects in a directory, and for two objects with the same path.
 */
export function assignObjectPaths(
  objects: readonly StoredObject[],
  store: string,
  group: string,
): ReadonlyMap<string, { readonly name: string; readonly table: ColumnTable }> {
  const isOne = objects.length === 1;
  if (!isOne && store === "bpcells") {
    const names = objects.map(({ path, content }) => (path === "" ? content : `${path}/${content}`));
    throw new InvalidInputError(
      `${objects.length} objects (${formatNameList(names)}), and a directory holds one: choose it (--table), or write .bpcells.h5`,
    );
  }
  const placed = new Map<string, { readonly name: string; readonly table: ColumnTable }>();
  for (const { path, content, tables } of objects) {
    const own = isOne ? ownPath(path, store, group) : [group, path === "" ? content : path].filter(Boolean).join("/");
    for (const [name, table] of tables) {
      const target = own === "" ? name : `${own}/${name}`;
      if (placed.has(target)) throw new InvalidInputError("two objects of this name", { element: target });
      placed.set(target, { ...table, table: { ...table.table, name: target } });
    }
  }
  return placed;
}

/**
 * Returns the path for a single object: `group` if given, else the path in the source. `""` in containers without
 * groups.
 */
function ownPath(path: string, store: string, group: string): string {
  return store === "bpcells.h5" ? group || path : "";
}
