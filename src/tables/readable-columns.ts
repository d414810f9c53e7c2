/** Dataframe columns that are read differently from their stored form, or not at all. */

import type { ReadOptions } from "../io/sources/source.js";
import { getColumnRowCount } from "../jobs/rows/columns.js";
import { type AnnarrowError, isUnsupportedOrInvalid } from "../model/errors.js";
import type { StoredTable } from "./stored-table.js";

/**
 * Leaves out a dataframe's columns that contain unreadable values, so that one code out of range does not make all row
 * names unavailable. This reads the table and, if that fails, each of its columns. Other tables remain unchanged.
 * @returns the table, and the error of each column that is left out, by the column's name.
 * @throws {AnnarrowError} the table's error, if no column can be read.
 */
export async function dropUnreadableColumns(
  table: StoredTable,
  options: ReadOptions,
): Promise<{ readonly table: StoredTable; readonly failures: ReadonlyMap<string, AnnarrowError> }> {
  const failures = new Map<string, AnnarrowError>();
  const { metadata, fields, rowsPlan } = table;
  if (metadata.kind !== "dataframe" || rowsPlan.kind !== "columns") return { table, failures };
  const all = await findRefusal(table, null, options);
  if (all === null) return { table, failures };
  const lost = new Set<number>();
  for (const [position, { name }] of fields.entries()) {
    const failure = await findRefusal(table, position, options);
    if (failure === null) continue;
    lost.add(position);
    failures.set(name, failure);
  }
  if (lost.size === fields.length) throw all;
  return { table: await table.withoutColumns(lost), failures };
}

/**
 * Finds the reason why a column, or all columns, cannot be read; null if they can be read.
 * @throws {AnnarrowError} if a disk or a network fails, or if the file changes, because such an error must not drop a
 * column.
 */
async function findRefusal(
  table: StoredTable,
  position: number | null,
  options: ReadOptions,
): Promise<AnnarrowError | null> {
  const request = { kind: "batches", batchBytes: table.batchBytes } as const;
  try {
    const parts = table.parts(request, position === null ? options : { ...options, fields: [position] });
    for await (const _ of parts) options.signal?.throwIfAborted();
    return null;
  } catch (error) {
    if (isUnsupportedOrInvalid(error)) return error;
    throw error;
  }
}

/**
 * Returns the names of columns whose stored categories contain duplicates. The duplicates are removed during reading.
 */
export async function findRepeatedCategories(table: StoredTable, options: ReadOptions): Promise<readonly string[]> {
  const { fields, rowsPlan } = table;
  if (rowsPlan.kind !== "columns") return [];
  const coded = rowsPlan.columns.flatMap((plan, position) =>
    plan.kind === "categorical" ? [{ position, stored: getColumnRowCount(plan.categories) }] : [],
  );
  if (coded.length === 0) return [];
  const columns = await table.noRows({ ...options, fields: coded.map(({ position }) => position) });
  return coded.flatMap(({ position, stored }, i) => {
    const column = columns[i];
    return column.layout === "dictionary" && column.dictionary.length < stored ? [fields[position].name] : [];
  });
}
