/** What a convention is. */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import type { TableElement } from "../../element.js";
import type { PlainContext } from "../arrays/context.js";

export interface Convention {
  /** Name of the convention, as the kind of a group in the contents table. */
  readonly name: string;
  /**
   * Makes the table of a group; null where the group is none of this convention.
   * @throws errors of a group that is of this convention and cannot be read.
   */
  group?(group: Group, keys: readonly string[], cx: PlainContext): Promise<GroupTable | null>;
  /** Makes the table of an array; null where the array is none of this convention, or a word where it is no table. */
  array?(array: StoredArray, cx: PlainContext): Promise<TableElement | NoTable | null>;
}

/** An array that holds no values of its own. */
export interface NoTable {
  readonly kind: "none";
  /** What it is, in the contents table. */
  readonly is: string;
}

/** The table that a group is as a whole. */
export interface GroupTable {
  /** Null for a group that is listed in the contents table alone. */
  readonly element: TableElement | null;
  /** What the group is, in the contents table; by default the name of the convention. */
  readonly kind?: string;
  /** Children that remain tables of their own; none where absent. */
  readonly below?: readonly string[];
}
