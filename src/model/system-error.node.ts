/**
 * Recognizes errors of the operating system by the code of Node's error, never by its message, and makes the library's
 * errors for them.
 */

import { getSystemErrorMap } from "node:util";
import { InvalidInputError, isAnnarrowError, NotFoundError } from "./errors.js";

/** Whether `error` is a system error with one of `codes`, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/** `permission denied (EACCES)`: without the path, which the named error says anyway; null for any other error. */
export function systemReason(error: unknown): string | null {
  if (!(error instanceof Error) || !("errno" in error) || typeof error.errno !== "number") return null;
  const known = getSystemErrorMap().get(error.errno);
  return known === undefined ? null : `${known[1]} (${known[0]})`;
}

/**
 * Runs `action`, and returns its result.
 * @throws {InvalidInputError} with `source` and the system's reason where the file system refuses.
 */
export async function onDisk<T>(source: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw diskError(source, cause);
  }
}

/** The error where the file system refuses to write, for a full disk or a missing permission. */
export function diskError(source: string, cause: unknown): Error {
  if (isAnnarrowError(cause)) return cause;
  return new InvalidInputError(`cannot be written: ${reason(cause)}`, { source, cause, code: "outside" });
}

/** The error for a folder that is absent or cannot be written. */
export function folderError(folder: string, cause: unknown): Error {
  if (hasCode(cause, "ENOENT")) return new NotFoundError("no such folder; create it first", { source: folder, cause });
  return diskError(folder, cause);
}

/** `no space left on device (ENOSPC)`: without the temporary name, which says nothing to the user. */
export function reason(cause: unknown): string {
  return systemReason(cause) ?? (cause instanceof Error ? cause.message : String(cause));
}
