/** What a convention is. */

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
