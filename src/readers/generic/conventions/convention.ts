/** The interface of a convention. */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import type { TableElement } from "../../element.js";
import type { GenericContext } from "../arrays/context.js";

export interface Convention {
  /** Name of the convention, as the kind of a group in the contents table. */
  readonly name: string;
  /**
   * Creates the table of a group; null if the group does not follow this convention.
   * @throws errors of a group that follows this convention and cannot be read.
   */
  group?(group: Group, keys: readonly string[], cx: GenericContext): Promise<GroupTable | null>;
  /** Makes the table of an array; null if the array does not follow this convention; `NoTable` if it has no table. */
  array?(array: StoredArray, cx: GenericContext): Promise<TableElement | NoTable | null>;
}

/** An array without values of its own. */
export interface NoTable {
  readonly kind: "none";
  /** Kind of the array in the contents table. */
  readonly is: string;
}

export interface GroupTable {
  /** Null for a group that only appears in the contents table. */
  readonly element: TableElement | null;
  /** Kind of the group in the contents table; by default the name of the convention. */
  readonly kind?: string;
  /** Children that become separate tables; by default no children. */
  readonly below?: readonly string[];
}
