/** What the writing of every object needs to know. */

import type { ContainerKind } from "../../model/dataset.js";
import type { EntriesContext } from "../../tables/sparse/sparse-entries.js";

export interface BpcellsWriterContext extends EntriesContext {
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
