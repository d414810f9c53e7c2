/** The interface of a convention. */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import type { TableElement } from "../../element.js";
import type { GenericContext } from "../arrays/context.js";

export interface Convention {
  /** Name of the convention. It is also the kind that the contents table shows for a group. */
  readonly name: string;
  /**
   * Creates the table of a group; null if the group does not follow this convention.
   * @throws if the group follows this convention but cannot be read.
   */
  group?(group: Group, keys: readonly string[], cx: GenericContext): Promise<GroupTable | null>;
  /**
   * Makes the table for an array; null if the array does not follow this convention; `NoTable` if the array has no
   * table.
   */
  array?(array: StoredArray, cx: GenericContext): Promise<TableElement | NoTable | null>;
}

/** An array without values of its own. */
export interface NoTable {
  readonly kind: "none";
  /** The array's kind in the contents table. */
  readonly is: string;
}

export interface GroupTable {
  /** Null if the group appears only in the contents table. */
  readonly element: TableElement | null;
  /** The group's kind in the contents table; by default, the name of the convention. */
  readonly kind?: string;
  /** Children that become separate tables; none by default. */
  readonly below?: readonly string[];
}
