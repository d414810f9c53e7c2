/** Takes a part of a dataset: every element that lies along a chosen axis follows. */

import type { TableMetadata } from "../model/dataset.js";
import {
  type AnnarrowError,
  InvalidDataError,
  isAnnarrowError,
  isFromOutside,
  UnsupportedError,
} from "../model/errors.js";
import type { ReadOptions } from "../sources/source.js";
import type { Origin, StoredTable } from "../tables/stored-table.js";

/** The positions of a part, by the tables that name the axes. */
export type ChosenAxes = ReadonlyMap<string, Int32Array>;

export interface PartTables {
  readonly tables: ReadonlyMap<string, StoredTable>;
  /** Errors of elements along a chosen axis that cannot be cut to the chosen positions. */
  readonly failures: ReadonlyMap<string, AnnarrowError>;
}

export interface PartChoice {
  readonly chosen: ChosenAxes;
  /** The axes of an element, by its name. */
  readonly axesOf: (name: string) => readonly [row: string | null, col: string | null];
  /** Maps between axes, by their names, with the numbers that they get. */
  readonly maps: ReadonlyMap<string, Int32Array>;
  /** The dataframes whose categories are left out where no row has them. */
  readonly dropUnused: Iterable<string>;
}

/** The tables of a part. Elements without a chosen axis stay as they are. */
export async function partOfTables(
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
 * Finds the tables of BPCells' stores inside an AnnData, below a chosen axis by their names (`layers/counts/matrix`).
 * Their matrices have genes as rows, so that they are not cut as elements of AnnData.
 */
export function storesAlongAxes(
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
 * Finds the elements of a part that are longer than their axes, which hold values of positions that were not chosen.
 * Parts are cut to their axes; this check is for elements that were not.
 * @param tables all elements of the part.
 */
export function elementsBeyondAxes(
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

/** Drops the unused categories of a dataframe, and the colours of an axis' columns. */
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
    // anndata leaves out colours of another number, which belong to other categories.
    if (colours.rows !== all) parts.delete(name);
    else if (used.length < all) parts.set(name, await colours.part(used, null, origin, options));
  }
}
