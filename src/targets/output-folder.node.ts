/** Folders of outputs that are written by their paths: the folder appears whole or not at all. */

import { folderError } from "../model/system-error.node.js";
import { FileWriter } from "./file-writer.node.js";
import { type OutputPath, placeOf, publishFolder, refuseFolder, type TargetOptions } from "./output-path.node.js";
import { leftoverNotes, putBack, registerCleanup, removeLeftovers } from "./temporary-output.node.js";

/** An empty folder beside the place of the output. */
export interface TemporaryFolder {
  readonly place: OutputPath;
  /** Ends the registration for removal where the process is interrupted. */
  readonly unregister: () => void;
  /** Notes on leftovers of ended processes. */
  readonly warnings: readonly string[];
}

/**
 * Makes the folder in which the output `path` is written. Leftovers of ended processes beside `path` are removed, and a
 * folder that such a process was replacing is put back.
 * @throws {InvalidInputError} where `path` exists and `overwrite` is not given, or is a folder with other files, or
 * where its folder cannot be written.
 * @throws {NotFoundError} where the folder that should hold it does not exist.
 */
export async function temporaryFolder(path: string, options: TargetOptions): Promise<TemporaryFolder> {
  const place = await placeOf(path, options);
  const { files } = place;
  const restored = await putBack(place.folder, files.rules.path.basename(place.path), files);
  await refuseFolder(place, options);
  const unregister = registerCleanup(place.temporary);
  try {
    await files.makeFolder(place.temporary, place.cloud === null ? 0o777 : 0o700);
  } catch (cause) {
    unregister();
    throw folderError(place.folder, cause);
  }
  const warnings = leftoverNotes([...restored, ...(await removeLeftovers(place.folder, { files }))]);
  return { place, unregister, warnings };
}

/** A folder of complete outputs. */
export interface OutputFolder {
  /** The folder that outputs are written to. */
  readonly path: string;
  readonly warnings: readonly string[];
  /** Writes a file of text, and flushes it. */
  write(name: string, text: string): Promise<void>;
  /** Gives the folder its name. */
  commit(): Promise<void>;
  /** Removes the folder. Does nothing after `commit`. */
  abort(): Promise<void>;
}

/**
 * Makes a folder for outputs, which are flushed to the disk by their writers.
 * @throws as `temporaryFolder`.
 */
export async function outputFolder(shown: string, options: TargetOptions = {}): Promise<OutputFolder> {
  const { place, unregister, warnings } = await temporaryFolder(shown, options);
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
