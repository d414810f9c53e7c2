/**
 * Creates a temporary folder next to the output for a file that another library writes together with auxiliary files.
 * The file appears at its final path completely or not at all.
 */

import { mkdir, open, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { createFolderError, runFileOperation } from "../../model/system-error.node.js";
import { publishFile, refuseFile } from "./file.node.js";
import { resolveOutputPath, syncFolder, type TargetOptions } from "./output-path.node.js";
import { describeLeftovers, registerCleanup, removeLeftovers } from "./temporary-output.node.js";

export interface ForeignFile {
  /** The path to which the library writes the file. */
  readonly path: string;
  /** Temporary folder that contains the file. */
  readonly folder: string;
  /** Notes for the user about existing files at the path of the output. */
  readonly warnings: readonly string[];
  /** Flushes the complete, closed file, and renames it to its final name. Other files in the folder are removed. */
  commit(): Promise<void>;
  /** Removes the file and the folder. Does nothing after `commit`. */
  abort(): Promise<void>;
}

/**
 * Creates a file for the output `path`. Leftovers next to `path` from processes that have ended are removed.
 * @throws {InvalidInputError} if `path` exists and `overwrite` is not given, if it is not a regular file, or if its
 * folder cannot be written to.
 * @throws {NotFoundError} if the parent folder does not exist.
 */
export async function createForeignFile(path: string, options: TargetOptions = {}): Promise<ForeignFile> {
  const place = await resolveOutputPath(path, options);
  await refuseFile(place, options);
  const unregister = registerCleanup(place.temporary);
  const file = join(place.temporary, basename(place.path));
  const remove = async () => {
    await rm(place.temporary, { recursive: true, force: true });
    unregister();
  };
  try {
    await mkdir(place.temporary, { mode: 0o700 });
  } catch (cause) {
    unregister();
    throw createFolderError(place.folder, cause);
  }
  const warnings = describeLeftovers(await removeLeftovers(place.folder));
  return {
    path: file,
    folder: place.temporary,
    warnings,
    async commit() {
      await runFileOperation(place.shown, async () => {
        const handle = await open(file, "r+");
        await handle.sync().finally(() => handle.close());
      });
      await options.beforeCommit?.();
      await publishFile({ ...place, temporary: file }, options);
      await syncFolder(place.folder);
      await remove();
    },
    abort: remove,
  };
}
