/**
 * Conventions: what libraries write into plain HDF5 and Zarr beyond arrays, such as tables or axes of arrays. Each is
 * asked for every group and every array; the first that knows a node makes its table, in place of the plain one. A new
 * convention is a file in this folder, and a line in `CONVENTIONS`.
 */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import type { TableElement } from "../../element.js";
import type { PlainContext } from "./context.js";

export interface Convention {
  /** Name of the convention, as the kind of a group in the contents table. */
  readonly name: string;
  /**
   * Makes the table of a group; null where the group is none of this convention.
   * @throws errors of a group that is of this convention and cannot be read.
   */
  group?(group: Group, keys: readonly string[], cx: PlainContext): Promise<GroupTable | null>;
  /** Makes the table of an array; null where the array is none of this convention. */
  array?(array: StoredArray, cx: PlainContext): Promise<TableElement | null>;
}

/** The table that a group is as a whole. */
export interface GroupTable {
  readonly element: TableElement;
  /** Children that remain tables of their own; none where absent. */
  readonly below?: readonly string[];
}

/** The conventions, in the order in which they are asked. */
export const CONVENTIONS: readonly Convention[] = [];

/** The table of a group by the first convention that knows it, with the convention's name; null for a plain group. */
export async function groupTable(
  group: Group,
  keys: readonly string[],
  cx: PlainContext,
): Promise<(GroupTable & { readonly convention: string }) | null> {
  for (const { name, group: open } of CONVENTIONS) {
    const found = (await open?.(group, keys, cx)) ?? null;
    if (found !== null) return { ...found, convention: name };
  }
  return null;
}

/** The table of an array by the first convention that knows it; null for a plain array. */
export async function conventionalTable(array: StoredArray, cx: PlainContext): Promise<TableElement | null> {
  for (const { array: open } of CONVENTIONS) {
    const found = (await open?.(array, cx)) ?? null;
    if (found !== null) return found;
  }
  return null;
}
