/** Whether an error is one that a damaged file may end in. */

import { isAnnarrowError } from "../../src/model/errors.js";

/** What is wrong with what was thrown; null for an error of `errors.ts` that somebody meant. */
export function defectOf(error: unknown): string | null {
  if (!isAnnarrowError(error)) return `no named error: ${text(error)}`;
  const { cause } = error;
  if (cause === undefined) return null;
  if (isAnnarrowError(cause)) return defectOf(cause);
  // `located` has put the name over an error that nobody meant: its message is that of its cause.
  const wrapped = cause instanceof Error && cause.message === error.problem;
  return wrapped ? `${error.name} by accident: ${text(cause)}` : null;
}

function text(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}
