/** Copies the page to a folder for any static file server. */

import { existsSync } from "node:fs";
import { access, copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { InvalidInputError, NotFoundError } from "annarrow";
import { createFolderError, hasCode } from "annarrow/node/model";

/** A package that the page loads on demand from a separate folder. */
interface PackageBeside {
  readonly name: string;
  /** Folder next to the page, under the name that packages/view/page/build.mjs uses. */
  readonly folder: string;
  /** Folder in the package that contains its browser files. */
  readonly within: string;
  readonly files: readonly string[];
  readonly licences: readonly string[];
  readonly purpose: string;
}

const PACKAGES: readonly PackageBeside[] = [
  {
    name: "@duckdb/duckdb-wasm",
    folder: "duckdb",
    within: "dist",
    files: ["duckdb-browser-eh.worker.js", "duckdb-eh.wasm"],
    // The license text is included in the page's own licenses, because the package contains none.
    licences: [],
    purpose: "SQL, filters and sorted tables",
  },
  {
    name: "parquet-wasm",
    folder: "parquet-wasm",
    within: "esm",
    files: ["parquet_wasm.js", "parquet_wasm_bg.wasm"],
    licences: ["LICENSE_APACHE", "LICENSE_MIT"],
    purpose: "Parquet files of other programs",
  },
  {
    name: "h5wasm",
    folder: "h5wasm",
    within: "dist/esm",
    files: ["hdf5_hl.js", "hdf5_util.js", "file_handlers.js"],
    licences: ["LICENSE.txt"],
    purpose: "rare features of HDF5",
  },
];

/**
 * @param page folder of the built page.
 * @returns packages that are not installed, and the features that the page lacks without them.
 * @throws {InvalidInputError} if the folder is not empty, unless `overwrite` is set.
 */
export async function copyStaticPage(
  page: URL,
  folder: string,
  overwrite: boolean,
): Promise<readonly { readonly name: string; readonly purpose: string }[]> {
  await checkReplaceable(folder, overwrite);
  const source = fileURLToPath(page);
  await access(new URL("static.html", page)).catch((cause: unknown) => {
    throw new NotFoundError("the page is not built: npm run build", { source, cause });
  });
  try {
    // Removes scripts of an earlier page, whose names contain other hashes. A folder `assets` from another source is
    // not removed.
    const earlier = await readFile(join(folder, "index.html"), "utf8").catch(() => "");
    if (earlier.includes('name="annarrow-static"')) await rm(join(folder, "assets"), { recursive: true, force: true });
    await cp(join(source, "assets"), join(folder, "assets"), { recursive: true });
    await copyFile(join(source, "licenses.txt"), join(folder, "licenses.txt"));
    const missing: PackageBeside[] = [];
    for (const one of PACKAGES) if (!(await copyPackage(one, folder))) missing.push(one);
    // GitHub Pages would omit files whose names begin with an underscore.
    await writeFile(join(folder, ".nojekyll"), "");
    // Written last, because only this file makes the folder a page.
    await copyFile(join(source, "static.html"), join(folder, "index.html"));
    return missing;
  } catch (cause) {
    throw createFolderError(folder, cause);
  }
}

/** @returns whether the package is installed. */
async function copyPackage({ name, folder, within, files, licences }: PackageBeside, out: string): Promise<boolean> {
  const root = folderOf(name);
  if (root === null) return false;
  const target = join(out, folder);
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  for (const file of files) await copyFile(join(root, within, file), join(target, file));
  for (const licence of licences) await copyFile(join(root, licence), join(target, licence));
  return true;
}

/** Returns the folder of an installed package; null if the package is not installed. */
function folderOf(name: string): string | null {
  const paths = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return paths.map((path) => join(path, name)).find((path) => existsSync(join(path, "package.json"))) ?? null;
}

async function checkReplaceable(folder: string, overwrite: boolean): Promise<void> {
  const present = await readdir(folder).catch((cause: unknown) => {
    if (hasCode(cause, "ENOENT")) return [];
    throw createFolderError(folder, cause);
  });
  if (present.length === 0 || overwrite) return;
  throw new InvalidInputError("is not empty: --overwrite replaces files of the page in it", { source: folder });
}
