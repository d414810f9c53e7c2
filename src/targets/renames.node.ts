/** Renames: a complete output takes the place of another one, also where a program has that open. */

import { hasCode } from "../model/system-error.node.js";
import type { FileSystem } from "./file-system.node.js";

/** The end of the name of an output that is being replaced, between two renames. */
const REPLACED = ".old";

/** Codes of Windows for a file or folder that a program has open, or an output in the way of a folder. */
const IN_USE = ["EPERM", "EACCES", "EBUSY"] as const;

/** The temporary name of the previous output while the output with the name `temporary` replaces it. */
export function replacedName(temporary: string): string {
  return temporary + REPLACED;
}

/** Whether a rename was refused for a file that a program has open. */
export function isInUse(files: FileSystem, error: unknown): boolean {
  return files.rules.keepsOpenFiles && hasCode(error, ...IN_USE);
}

/**
 * Renames a file, and replaces one that has the name.
 * @throws the system's error where a program keeps the file open.
 */
export async function renameOver(files: FileSystem, from: string, to: string): Promise<void> {
  await patiently(files, () => files.rename(from, to));
}

/**
 * Gives the file or folder `temporary` the name of another one, which is removed last.
 * @throws the system's error; then everything is as it was.
 */
export async function exchange(files: FileSystem, temporary: string, path: string): Promise<void> {
  const replaced = replacedName(temporary);
  await patiently(files, () => {
    files.rename(path, replaced);
    try {
      files.rename(temporary, path);
    } catch (cause) {
      files.rename(replaced, path);
      throw cause;
    }
  });
  // The old one gets another name before it is removed: a half removed folder must not be put back by a later process.
  await patiently(files, () => files.rename(replaced, temporary));
}

/** Runs `action` again where a rename is refused because a program has a file open, perhaps for a moment. */
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
