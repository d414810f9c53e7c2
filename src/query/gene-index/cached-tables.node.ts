/**
 * Caches matrices in the form in which DuckDB has read them. Their folder is next to the companion in the folder of
 * companions. Later statements about the same version of a file reuse them. Each build of DuckDB has its own files.
 */

import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { nodeFiles } from "../../io/targets/file-system.node.js";
import { renameOver } from "../../io/targets/renames.node.js";
import { createTemporaryName, registerCleanup, removeLeftovers } from "../../io/targets/temporary-output.node.js";
import { parseJsonObject } from "../../model/json-object.js";
import { runFileOperation } from "../../model/system-error.node.js";
import type { CachedTableLocation } from "../../sinks/duckdb/engine.js";
import { findIdentityDifference, parseIdentity, type SourceIdentity } from "./identity.js";
import { MANIFEST } from "./manifest.js";

/** Suffix in the name of a folder that contains cached tables. */
export const TABLES = ".tables";

const VERSION = 1;

export interface CachedTablesSource {
  /** Path or address of the file, for messages. */
  readonly source: string;
  readonly identity: SourceIdentity;
  /** @throws {InvalidDataError} if the file has changed since it was opened. */
  readonly checkUnchanged: () => Promise<void>;
}

/** The cached tables of one version of a file. */
export interface CachedTables {
  readonly folder: string;
  /** Returns the location where a matrix is cached. */
  place(element: string): CachedTableLocation;
}

/** Content of a folder's manifest. */
export interface ListedTables {
  readonly source: string;
  readonly identity: SourceIdentity;
  readonly elements: readonly string[];
  readonly bytes: number;
}

/** Opens the folder, and empties it if it contains tables from another version of the file. */
export async function openCachedTables(folder: string, source: CachedTablesSource): Promise<CachedTables> {
  const present = await findCachedTables(folder);
  if (present === null || (await findIdentityDifference(present.identity, source.identity, null)) !== null) {
    await runFileOperation(folder, async () => {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      const { identity } = source;
      const manifest = { annarrow: "tables", version: VERSION, source: source.source, identity };
      await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
    });
  }
  return { folder, place: (element) => keptPlace(join(folder, encodeURIComponent(element)), source) };
}

function keptPlace(path: string, { checkUnchanged }: CachedTablesSource): CachedTableLocation {
  const named = (extension: string) => `${path}.${extension}`;
  const has = (extension: string) => existsSync(named(extension));
  return {
    path: named,
    has,
    async ensure(extension, write) {
      if (has(extension)) return;
      const [final, folder] = [named(extension), dirname(path)];
      // DuckDB-WASM removes ".tmp" from the end of a path. The file is therefore written under its final name in a
      // temporary folder.
      const temporary = join(folder, await createTemporaryName(basename(final)));
      const file = join(temporary, basename(final));
      const unregister = registerCleanup(temporary);
      try {
        await removeLeftovers(folder, { name: basename(final) });
        await runFileOperation(folder, () => mkdir(temporary));
        await write(file);
        await checkUnchanged();
        await runFileOperation(final, () => renameOver(nodeFiles, file, final));
      } finally {
        await rm(temporary, { recursive: true, force: true });
        unregister();
      }
    },
  };
}

/** Lists the content of a folder of cached tables; null for any other folder. */
export async function findCachedTables(folder: string): Promise<ListedTables | null> {
  const content = parseJsonObject(await readFile(join(folder, MANIFEST), "utf8").catch(() => ""));
  if (content?.annarrow !== "tables" || content.version !== VERSION || typeof content.source !== "string") return null;
  const identity = parseIdentity(content.identity);
  if (identity === null) return null;
  const names = (await readdir(folder)).filter((name) => name !== MANIFEST && !name.startsWith(".")).sort();
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).then(({ size }) => size)));
  const elements = [...new Set(names.map((name) => decodeURIComponent(name.replace(/\.[a-z]+$/, ""))))];
  return { source: content.source, identity, elements, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
