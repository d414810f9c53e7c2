/**
 * Detects errors of the operating system by the code of Node's error, never by its message, and creates this library's
 * errors from them.
 */

import { getSystemErrorMap } from "node:util";
import { InvalidInputError, isAnnarrowError, NotFoundError } from "./errors.js";

/** Returns whether `error` is a system error with one of `codes`, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/**
 * Returns the reason, such as `permission denied (EACCES)`, without the path, which the caller's error already
 * contains. Returns null for any other error.
 */
export function findSystemReason(error: unknown): string | null {
  if (!(error instanceof Error) || !("errno" in error) || typeof error.errno !== "number") return null;
  const known = getSystemErrorMap().get(error.errno);
  return known === undefined ? null : `${known[1]} (${known[0]})`;
}

/**
 * Runs `action`, and returns its result.
 * @throws {InvalidInputError} with `source` and the system's reason if the file system reports an error.
 */
export async function runFileOperation<T>(source: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw createDiskError(source, cause);
  }
}

/** Returns the error for a failed write, such as a full disk or a missing permission. */
export function createDiskError(source: string, cause: unknown): Error {
  if (isAnnarrowError(cause)) return cause;
  return new InvalidInputError(`cannot be written: ${describeSystemError(cause)}`, { source, cause, code: "outside" });
}

/** Returns the error for a folder that does not exist or is not writable. */
export function createFolderError(folder: string, cause: unknown): Error {
  if (hasCode(cause, "ENOENT")) return new NotFoundError("no such folder; create it first", { source: folder, cause });
  return createDiskError(folder, cause);
}

/**
 * Returns the reason, such as `no space left on device (ENOSPC)`, without the temporary name, which is meaningless to
 * users.
 */
export function describeSystemError(cause: unknown): string {
  return findSystemReason(cause) ?? (cause instanceof Error ? cause.message : String(cause));
}
