/** Output folders for writers that need a path. The folder appears completely or not at all. */

import { createFolderError } from "../../model/system-error.node.js";
import { FileWriter } from "./file-writer.node.js";
import {
  type OutputPath,
  publishFolder,
  refuseFolder,
  resolveOutputPath,
  type TargetOptions,
} from "./output-path.node.js";
import { describeLeftovers, putBack, registerCleanup, removeLeftovers } from "./temporary-output.node.js";

/** An empty folder next to the output's path. */
export interface TemporaryFolder {
  readonly place: OutputPath;
  /** Removes the folder from the register of folders to be removed on interruption. */
  readonly unregister: () => void;
  /** Notes on leftovers from processes that have ended. */
  readonly warnings: readonly string[];
}

/**
 * Creates the folder in which the output `path` is written. Leftovers next to `path` from processes that have ended are
 * removed, and a folder that such a process was replacing is restored.
 * @throws {InvalidInputError} if `path` exists and `overwrite` is not given, if it is a folder that contains other
 * files, or if its parent folder cannot be written to.
 * @throws {NotFoundError} if the parent folder does not exist.
 */
export async function createTemporaryOutput(path: string, options: TargetOptions): Promise<TemporaryFolder> {
  const place = await resolveOutputPath(path, options);
  const { files } = place;
  const restored = await putBack(place.folder, files.rules.path.basename(place.path), files);
  await refuseFolder(place, options);
  const unregister = registerCleanup(place.temporary);
  try {
    await files.makeFolder(place.temporary, place.remote === null ? 0o777 : 0o700);
  } catch (cause) {
    unregister();
    throw createFolderError(place.folder, cause);
  }
  const warnings = describeLeftovers([...restored, ...(await removeLeftovers(place.folder, { files }))]);
  return { place, unregister, warnings };
}

export interface OutputFolder {
  /** The path to which outputs are written. */
  readonly path: string;
  readonly warnings: readonly string[];
  /** Writes a text file, and flushes it. */
  write(name: string, text: string): Promise<void>;
  /** Renames the folder to its final name. */
  commit(): Promise<void>;
  /** Removes the folder. Does nothing after `commit`. */
  abort(): Promise<void>;
}

/**
 * Creates a folder for outputs. The writers of the outputs flush them to the disk.
 * @throws the same errors as `createTemporaryOutput`.
 */
export async function createOutputFolder(shown: string, options: TargetOptions = {}): Promise<OutputFolder> {
  const { place, unregister, warnings } = await createTemporaryOutput(shown, options);
  const { files } = place;
  const { join } = files.rules.path;
  let isOpen = true;
  return {
    path: place.temporary,
    warnings,
    async write(name, text) {
      const writer = await FileWriter.create(join(place.temporary, name), join(place.written, name), {
        files,
      });
      await writer.writeAll(
        (async function* () {
          yield new TextEncoder().encode(text);
        })(),
      );
    },
    async commit() {
      await publishFolder(place, options);
      isOpen = false;
      unregister();
    },
    async abort() {
      if (!isOpen) return;
      isOpen = false;
      await files.remove(place.temporary);
      unregister();
    },
  };
}
