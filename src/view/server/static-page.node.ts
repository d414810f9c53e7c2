/** Copies the page as files that need no server. */

import { access, cp, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { InvalidInputError, NotFoundError } from "../../model/errors.js";
import { folderError, hasCode } from "../../model/system-error.node.js";

/**
 * @param page folder of the built page.
 * @throws {InvalidInputError} where the folder has something, unless `overwrite`.
 */
export async function copyStaticPage(page: URL, folder: string, overwrite: boolean): Promise<void> {
  const present = await readdir(folder).catch((cause: unknown) => {
    if (hasCode(cause, "ENOENT")) return [];
    throw folderError(folder, cause);
  });
  if (present.length > 0 && !overwrite) {
    throw new InvalidInputError("is not empty: --overwrite replaces files of the page in it", { source: folder });
  }
  const source = fileURLToPath(page);
  await access(new URL("index.html", page)).catch((cause: unknown) => {
    throw new NotFoundError("the page is not built: npm run build", { source, cause });
  });
  await cp(source, folder, { recursive: true, force: true }).catch((cause: unknown) => {
    throw folderError(folder, cause);
  });
}
