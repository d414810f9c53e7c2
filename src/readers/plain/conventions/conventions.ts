/**
 * Conventions: what libraries write into plain HDF5 and Zarr beyond arrays, such as tables or axes of arrays. Each is
 * asked for every group and every array; the first that knows a node makes its table, in place of the plain one. A new
 * convention is a file in this folder, and a line in `CONVENTIONS`.
 */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import type { TableElement } from "../../element.js";
import type { PlainContext } from "../arrays/context.js";
import type { Convention, GroupTable, NoTable } from "./convention.js";
import { netcdf } from "./netcdf.js";
import { pandas } from "./pandas.js";
import { pytables } from "./pytables.js";

/** The conventions, in the order in which they are asked. */
export const CONVENTIONS: readonly Convention[] = [pandas, pytables, netcdf];

/** The table of a group by the first convention that knows it, with the convention's name; null for a plain group. */
export async function groupTable(
  group: Group,
  keys: readonly string[],
  cx: PlainContext,
): Promise<(GroupTable & { readonly kind: string }) | null> {
  for (const { name, group: open } of CONVENTIONS) {
    const found = (await open?.(group, keys, cx)) ?? null;
    if (found !== null) return { kind: name, ...found };
  }
  return null;
}

/** The table of an array by the first convention that knows it; null for a plain array. */
export async function conventionalTable(array: StoredArray, cx: PlainContext): Promise<TableElement | NoTable | null> {
  for (const { array: open } of CONVENTIONS) {
    const found = (await open?.(array, cx)) ?? null;
    if (found !== null) return found;
  }
  return null;
}
