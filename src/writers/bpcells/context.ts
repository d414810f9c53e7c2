/** What the writing of every object needs to know. */

import type { ContainerKind } from "../../containers/container.js";
import type { EntriesContext } from "../../tables/sparse-entries.js";

export interface Context extends EntriesContext {
  readonly container: ContainerKind;
  readonly packed: boolean;
  /** The storage order, and the type of the values; null for those of the table. */
  readonly order: "row" | "column" | null;
  readonly type: ValueType | null;
  readonly lossy: boolean;
  /** [rows, columns] where the tables do not tell. */
  readonly shape: readonly [number, number] | null;
  readonly warn: (message: string) => void;
}

/** What a version calls the type of a matrix. */
export type ValueType = "uint" | "float" | "double";
