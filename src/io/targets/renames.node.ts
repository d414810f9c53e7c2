/** Renames that replace an existing output, even if a program has it open. */

import { hasCode } from "../../model/system-error.node.js";
import type { FileSystem } from "./file-system.node.js";

/** Suffix of an output that is being replaced, between the two renames. */
const REPLACED = ".old";

/** Windows error codes for a file or folder that a program has open, or for an output that a folder blocks. */
const IN_USE = ["EPERM", "EACCES", "EBUSY"] as const;

/** Returns the temporary name that the previous output has while the output named `temporary` replaces it. */
export function getReplacedName(temporary: string): string {
  return temporary + REPLACED;
}

/** True if a rename failed because a program has the file open. */
export function isInUse(files: FileSystem, error: unknown): boolean {
  return files.rules.keepsOpenFiles && hasCode(error, ...IN_USE);
}

/**
 * Renames a file, replacing any existing file with the new name.
 * @throws the system's error if a program keeps the file open.
 */
export async function renameOver(files: FileSystem, from: string, to: string): Promise<void> {
  await patiently(files, () => files.rename(from, to));
}

/**
 * Swaps the file or folder `temporary` with `path`. The replaced file or folder is removed last.
 * @throws the system's error, in which case nothing has changed.
 */
export async function replaceByRename(files: FileSystem, temporary: string, path: string): Promise<void> {
  const replaced = getReplacedName(temporary);
  await patiently(files, () => {
    files.rename(path, replaced);
    try {
      files.rename(temporary, path);
    } catch (cause) {
      files.rename(replaced, path);
      throw cause;
    }
  });
  // The old folder is renamed before it is removed, because a later process must not restore a half-removed folder.
  await patiently(files, () => files.rename(replaced, temporary));
}

/** Retries `action` while a rename fails because a program has a file open, possibly only briefly. */
async function patiently(files: FileSystem, action: () => void): Promise<void> {
  for (const wait of files.rules.waits) {
    try {
      return action();
    } catch (error) {
      if (!isInUse(files, error)) throw error;
    }
    await files.pause(wait);
  }
  action();
}
