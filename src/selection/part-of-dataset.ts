/** Selects a part of a dataset. Every element along a selected axis is cut to the same positions. */

import type { ReadOptions } from "../io/sources/source.js";
import type { TableMetadata } from "../model/dataset.js";
import {
  type AnnarrowError,
  InvalidDataError,
  isAnnarrowError,
  isFromOutside,
  UnsupportedError,
} from "../model/errors.js";
import type { Origin, StoredTable } from "../tables/stored-table.js";

/** Selected positions, keyed by the table that names the axis. */
export type ChosenAxes = ReadonlyMap<string, Int32Array>;

export interface PartTables {
  readonly tables: ReadonlyMap<string, StoredTable>;
  /** Errors of elements along a selected axis that cannot be cut to the selected positions. */
  readonly failures: ReadonlyMap<string, AnnarrowError>;
}

export interface PartChoice {
  readonly chosen: ChosenAxes;
  readonly axesOf: (name: string) => readonly [row: string | null, col: string | null];
  /** Maps between axes by name, with their new numbers. */
  readonly maps: ReadonlyMap<string, Int32Array>;
  /** The dataframes whose unused categories are removed. */
  readonly dropUnused: Iterable<string>;
}

/** Makes the tables of a part. Elements without a selected axis remain unchanged. */
export async function selectPartTables(
  { tables, ...dataset }: Omit<Origin, "tables"> & { readonly tables: ReadonlyMap<string, StoredTable> },
  { chosen, axesOf, maps, dropUnused }: PartChoice,
  options: ReadOptions,
): Promise<PartTables> {
  const parts = new Map<string, StoredTable>();
  const failures = new Map<string, AnnarrowError>();
  const origin = { ...dataset, tables: parts };
  for (const [name, table] of tables) {
    options.signal?.throwIfAborted();
    const [rows = null, cols = null] = axesOf(name).map((axis) => (axis === null ? null : (chosen.get(axis) ?? null)));
    try {
      const numbers = maps.get(name);
      const part = numbers === undefined ? table.part(rows, cols, origin, options) : table.withNumbers(numbers, origin);
      parts.set(name, await part);
    } catch (error) {
      if (!isAnnarrowError(error) || isFromOutside(error)) throw error;
      failures.set(name, error);
    }
  }
  for (const name of dropUnused) await dropCategories(parts, name, origin, options);
  return { tables: parts, failures };
}

/**
 * Finds tables of BPCells stores inside an AnnData file whose names (such as `layers/counts/matrix`) place them along a
 * selected axis. BPCells matrices have genes as rows, so they cannot be cut like AnnData elements.
 */
export function findStoresAlongAxes(
  tables: ReadonlyMap<string, { readonly metadata: TableMetadata }>,
  { chosen, axesOf }: Pick<PartChoice, "chosen" | "axesOf">,
): ReadonlyMap<string, AnnarrowError> {
  const stores = [...tables].flatMap(([name, { metadata }]) =>
    metadata.bits !== undefined && name.endsWith("/matrix") ? [name.slice(0, -"matrix".length)] : [],
  );
  const found = new Map<string, AnnarrowError>();
  for (const name of tables.keys()) {
    const store = stores.find((path) => name.startsWith(path));
    if (store === undefined || !axesOf(name).some((axis) => axis !== null && chosen.has(axis))) continue;
    const problem = `a part of a store of BPCells inside of the file, which is not cut: open it by its path (${store.slice(0, -1)})`;
    found.set(name, new UnsupportedError(problem, { element: name }));
  }
  return found;
}

/**
 * Finds elements of a subset that are longer than their axes and so still contain values of positions that were not
 * selected. Elements are normally cut to their axes; this check finds those that were not.
 * @param tables all elements of the subset.
 */
export function findElementsOffAxes(
  tables: ReadonlyMap<string, { readonly rows: number | null; readonly metadata: TableMetadata }>,
  { chosen, axesOf }: Pick<PartChoice, "chosen" | "axesOf">,
): ReadonlyMap<string, AnnarrowError> {
  const beyond = new Map<string, AnnarrowError>();
  for (const [name, { rows, metadata }] of tables) {
    const lengths = metadata.shape ?? [rows];
    for (const [dimension, axis] of axesOf(name).entries()) {
      const most = axis === null ? undefined : chosen.get(axis)?.length;
      const length = lengths[dimension] ?? 0;
      if (most === undefined || length <= most) continue;
      const problem = `${length} ${dimension === 0 ? "rows" : "columns"}, where the part has ${most} positions of ${axis}: it was not cut to them`;
      beyond.set(name, new InvalidDataError(problem, { element: name }));
    }
  }
  return beyond;
}

/** Removes a dataframe's unused categories and, for an axis's columns, the matching colours. */
async function dropCategories(
  parts: Map<string, StoredTable>,
  frame: string,
  origin: Origin,
  options: ReadOptions,
): Promise<void> {
  const whole = parts.get(frame);
  if (whole === undefined) return;
  const { table, columns } = await whole.withoutUnused(origin, options);
  parts.set(frame, table);
  const axis = /^(.*\/)?(obs|var)$/.exec(frame);
  if (axis === null) return;
  const [, prefix = ""] = axis;
  for (const [column, { used, all }] of columns) {
    const name = `${prefix}uns/${column}_colors`;
    const colours = parts.get(name);
    if (colours === undefined || colours.metadata.shape?.length === 0) continue;
    // anndata ignores colours whose number differs from the number of categories.
    if (colours.rows !== all) parts.delete(name);
    else if (used.length < all) parts.set(name, await colours.part(used, null, origin, options));
  }
}
