/** What the writing of every element needs to know. */

import type { Spill } from "../../external-sort/spill.js";

export type WrittenLoomVersion = "3.0.0" | "2.0.1";

export interface LoomWriterContext {
  readonly version: WrittenLoomVersion;
  readonly lossy: boolean;
  readonly spill: Spill | null;
  readonly signal: AbortSignal | undefined;
  /** Collects what is otherwise than the caller may think. */
  readonly warn: (message: string) => void;
  readonly progress: (element: string, done: number, total: number | null) => void;
}
