/** Temporary folders, in the system's temporary directory. */

import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFolderError } from "../../model/system-error.node.js";
import { createTemporaryName, registerCleanup, removeLeftovers } from "./temporary-output.node.js";

export interface WorkFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** A folder that is created when it is needed. */
export interface PlannedFolder {
  readonly path: string;
  /**
   * Creates the folder, and removes folders with the same name left by processes that have ended, which contain only
   * copies of data that exists elsewhere. A removed folder can be created again.
   * @throws {InvalidInputError} if the system's temporary directory cannot be written to.
   */
  create(): Promise<WorkFolder>;
}

/** Creates a folder immediately. */
export async function createWorkFolder(name: string): Promise<WorkFolder> {
  return (await planWorkFolder(name)).create();
}

export async function planWorkFolder(name: string): Promise<PlannedFolder> {
  const parent = tmpdir();
  const path = join(parent, await createTemporaryName(name));
  return {
    path,
    async create() {
      const unregister = registerCleanup(path);
      try {
        // This call is synchronous, because an asynchronous one could finish after a signal handler has removed the
        // folder.
        mkdirSync(path, { mode: 0o700 });
      } catch (cause) {
        unregister();
        throw createFolderError(parent, cause);
      }
      await removeLeftovers(parent, { name });
      return {
        path,
        async remove() {
          await rm(path, { recursive: true, force: true });
          unregister();
        },
      };
    },
  };
}
