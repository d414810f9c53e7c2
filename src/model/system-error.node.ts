/** What the operating system refused, known by the code of Node's error and never by its message. */

import { getSystemErrorMap } from "node:util";

/** Whether `error` is one of the system's with one of these codes, `ENOENT` say. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/** `permission denied (EACCES)`: without the path, which the named error says anyway; null for any other error. */
export function systemReason(error: unknown): string | null {
  if (!(error instanceof Error) || !("errno" in error) || typeof error.errno !== "number") return null;
  const known = getSystemErrorMap().get(error.errno);
  return known === undefined ? null : `${known[1]} (${known[0]})`;
}
