import { InvalidInputError, isAnnarrowError, NotFoundError } from "../model/errors.js";
import { hasCode, systemReason } from "../model/system-error.node.js";

/**
 * What `action` gives.
 * @throws {InvalidInputError} with `source` and the system's reason where the file system refuses.
 */
export async function onDisk<T>(source: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw diskError(source, cause);
  }
}

/** The error for what the file system refused: a full disk, a missing permission. */
export function diskError(source: string, cause: unknown): Error {
  if (isAnnarrowError(cause)) return cause;
  return new InvalidInputError(`cannot be written: ${reason(cause)}`, { source, cause });
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
