/** What the writing of every element needs to know. */

import { InvalidInputError } from "../../errors.js";
import type { Spill } from "../../external-sort/spill.js";

export type LoomVersion = "3.0.0" | "2.0.1";

export interface Context {
  readonly version: LoomVersion;
  readonly lossy: boolean;
  readonly spill: Spill | null;
  readonly signal: AbortSignal | undefined;
  /** Collects what is otherwise than the caller may think. */
  readonly warn: (message: string) => void;
  readonly progress: (element: string, done: number, total: number | null) => void;
}

/**
 * Notes that a value or element is written in another form, or not at all, where the caller allows that.
 * @throws {InvalidInputError} where not; it says what to do instead.
 */
export function lose(cx: Context, element: string, problem: string, instead: string, remedy: string): void {
  if (!cx.lossy) throw new InvalidInputError(`${problem}; ${remedy}, or allow losses: then ${instead}`, { element });
  cx.warn(`${element}: ${problem}; ${instead}`);
}
