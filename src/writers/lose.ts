/** What a format has no form for: an error, or where the caller allows losses a warning. */

import { RefusedError } from "../model/errors.js";

/** What the context of a writer says of losses. */
export interface LossContext {
  readonly lossy: boolean;
  readonly warn: (message: string) => void;
}

/**
 * Notes that a value or element is written in another form, or not at all, where the caller allows that.
 * @throws {InvalidInputError} where not; it says what to do instead.
 */
export function lose(cx: LossContext, element: string, problem: string, instead: string, remedy: string): void {
  if (!cx.lossy) throw new RefusedError(`${problem}; ${remedy}, or allow losses: then ${instead}`, { element });
  cx.warn(`${element}: ${problem}; ${instead}`);
}
