/** Runs TypeScript of the project where Node runs JavaScript alone: as one module, with everything but packages in it. */

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = projectAbove(dirname(fileURLToPath(import.meta.url)));

/** Writes the module `entry`, a path in the project, to a file for a child process or a worker. */
export function bundled(entry) {
  return written({ entryPoints: [join(root, entry)] });
}

/** All that the modules at these paths in the project export. */
export async function importBundled(...entries) {
  const contents = entries.map((entry) => `export * from ${JSON.stringify(join(root, entry))};`).join("\n");
  const { url, remove } = await written({ stdin: { contents, resolveDir: root } });
  try {
    return await import(url.href);
  } finally {
    await remove();
  }
}

/** Not always the folder above scripts/: this file may be part of a bundle itself. */
function projectAbove(folder) {
  return existsSync(join(folder, "package.json")) ? folder : projectAbove(dirname(folder));
}

async function written(entry) {
  // Below node_modules, where packages are found.
  const cache = join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "bundled-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const file = join(folder, "bundle.mjs");
  try {
    await build({
      ...entry,
      outfile: file,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      logLevel: "error",
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return { file, url: pathToFileURL(file), remove };
}
