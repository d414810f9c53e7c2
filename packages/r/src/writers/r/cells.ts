/**
 * Merges the cells of several modalities into one data frame, with the columns of all modalities and of the whole
 * MuData.
 */

import { UnsupportedElementError } from "annarrow/core/model";
import type { RValue } from "../../containers/rds/model/value.js";
import type { RdsDocument, SpooledVector } from "../../containers/rds/write/document.js";
import type { WrittenFrame } from "./frame.js";

/** Data frame of the cells of a modality; the name is empty for the whole MuData. */
export interface CellsOf {
  readonly name: string;
  readonly frame: WrittenFrame;
}

/**
 * Merges the columns of several dataframes that have the same cells in the same order. Equal columns with the same name
 * are included once. If they differ, the later ones are named `modality:column`, as in mudata.
 */
export async function mergeCells(
  modalities: readonly CellsOf[],
  whole: WrittenFrame | null,
  document: RdsDocument,
): Promise<WrittenFrame> {
  const [{ frame: first }] = modalities;
  const columns = new Map(first.columns);
  const put = async (name: string, value: RValue): Promise<boolean> => {
    const known = columns.get(name);
    if (known === undefined) columns.set(name, value);
    return known === undefined || (isVector(known) && isVector(value) && (await document.isSame(known, value)));
  };
  for (const { name, frame } of modalities.slice(1)) {
    for (const [column, value] of frame.columns) {
      if (await put(column, value)) continue;
      if (!(await put(`${name}:${column}`, value))) throw createConflictError(`mod/${name}/obs`, column);
    }
  }
  if (whole === null) return { ...first, columns };
  for (const [column, value] of whole.columns) {
    const isCopy = modalities.some(({ name, frame }) => isCopyOf(column, name, frame));
    if (!isCopy && !(await put(column, value))) throw createConflictError("obs", column);
  }
  return { ...first, columns };
}

/** Whether mudata has copied a column from a modality to the top level. */
export function isCopyOf(column: string, modality: string, { columns }: Pick<WrittenFrame, "columns">): boolean {
  return column.startsWith(`${modality}:`) && columns.has(column.slice(modality.length + 1));
}

/** Returns the error for a column if all of its possible names are already used by columns with other values. */
export function createConflictError(element: string, column: string): UnsupportedElementError {
  return new UnsupportedElementError(
    `a column ${JSON.stringify(column)} with other values than another modality has: rename one`,
    {
      element,
      table: element,
    },
  );
}

/** Whether a value is a vector with comparable elements. */
export function isVector(value: RValue): value is SpooledVector {
  return ["logical", "integer", "real", "complex", "character"].includes(value.kind);
}
