/** The cells of a dataset of several modalities: the columns of all modalities, and of the whole, in one frame. */

import type { RValue } from "../../containers/rds/model/value.js";
import type { RdsDocument, SpooledVector } from "../../containers/rds/write/document.js";
import { RefusedError } from "../../model/errors.js";
import type { WrittenFrame } from "./frame.js";

/** A frame of the cells, with the name of its modality; an empty name for the whole. */
export interface CellsOf {
  readonly name: string;
  readonly frame: WrittenFrame;
}

/**
 * One frame of the columns of several. A column that others have under its name, too, is there once where it is equal;
 * else the later ones are called `modality:column`, as mudata calls them.
 * The cells are the same, in the same order.
 */
export async function mergedCells(
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
      if (!(await put(`${name}:${column}`, value))) throw twice(`mod/${name}/obs`, column);
    }
  }
  if (whole === null) return { ...first, columns };
  for (const [column, value] of whole.columns) {
    const isCopy = modalities.some(({ name, frame }) => isCopyOf(column, name, frame));
    if (!isCopy && !(await put(column, value))) throw twice("obs", column);
  }
  return { ...first, columns };
}

/** Whether mudata has pulled a column up from a modality. */
export function isCopyOf(column: string, modality: string, { columns }: Pick<WrittenFrame, "columns">): boolean {
  return column.startsWith(`${modality}:`) && columns.has(column.slice(modality.length + 1));
}

/** The error for a column that has other values under every name that it could have. */
export function twice(element: string, column: string): RefusedError {
  return new RefusedError(
    `a column ${JSON.stringify(column)} with other values than another modality has: rename one`,
    {
      element,
      table: element,
    },
  );
}

/** Whether a value is a vector whose elements can be compared. */
export function isVector(value: RValue): value is SpooledVector {
  return ["logical", "integer", "real", "complex", "character"].includes(value.kind);
}
