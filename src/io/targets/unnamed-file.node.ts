/** Files whose names are not known until they are written, because the names depend on the contents. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runFileOperation } from "../../model/system-error.node.js";
import { nodeFiles } from "./file-system.node.js";
import { FileWriter } from "./file-writer.node.js";
import { renameOver } from "./renames.node.js";
import { createTemporaryName, registerCleanup } from "./temporary-output.node.js";

/**
 * Writes a file under a temporary name, creating its folder.
 * @param shown path of the file in error messages.
 * @param output path of the output to which the file belongs, for errors about its folder and its name.
 * @returns a function that renames the file to `path`, on the same disk, and replaces any existing file.
 */
export async function writeUnnamedFile(
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
  { shown, output }: { readonly shown: string; readonly output: string },
): Promise<(path: string) => Promise<void>> {
  await runFileOperation(output, () => mkdir(folder, { recursive: true }));
  const temporary = join(folder, await createTemporaryName("part"));
  const unregister = registerCleanup(temporary);
  try {
    await (await FileWriter.create(temporary, shown)).writeAll(chunks);
  } catch (error) {
    unregister();
    throw error;
  }
  return async (path) => {
    await runFileOperation(output, () => renameOver(nodeFiles, temporary, path));
    unregister();
  };
}
