/** Creates, finds, lists and removes the companions of files. */

import { readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { conversions } from "../formats/formats.js";
import { ACCESS_OPTIONS, createRemoteOutput, findFileScheme, pickAccessOptions } from "../io/schemes/registry.js";
import type { AccessOptions } from "../io/schemes/scheme.js";
import type { Dataset, Progress } from "../model/dataset.js";
import {
  InvalidDataError,
  InvalidInputError,
  isAnnarrowError,
  runWithLocation,
  UnsupportedError,
} from "../model/errors.js";
import { checkOptions, type NamesOf, type OptionNames } from "../model/option-names.js";
import { hasCode, runFileOperation } from "../model/system-error.node.js";
import { findCachedTables, TABLES } from "../query/gene-index/cached-tables.node.js";
import type { SourceIdentity } from "../query/gene-index/identity.js";
import {
  cacheFolder,
  createLocalLocation,
  getCompanionPathBeside,
  resolveCachedPath,
} from "../query/gene-index/local-location.node.js";
import type { GeneIndexLocation } from "../query/gene-index/location.js";
import { makeCompanion } from "../query/gene-index/make.node.js";
import {
  countCompanionBytes,
  countMatrixBytes,
  type GeneIndexManifest,
  type GeneIndexMatrix,
  MANIFEST,
} from "../query/gene-index/manifest.js";
import { selectMatricesToCopy } from "../query/gene-index/matrices.js";
import { createWebLocation, SUFFIX } from "../query/gene-index/web-location.js";
import type { StoredTable } from "../tables/stored-table.js";
import { type OpenOptions, storeOpener } from "./open.js";
import { getInputPath, openStored } from "./open.node.js";
import { findTableInStore } from "./renamed-dataset.js";

export interface CompanionOptions extends Pick<OpenOptions, "path" | "maxObjects" | "signal">, AccessOptions {
  /**
   * Names of the matrices to copy. The default is `X`, `raw/X` and all layers, if they are sparse and stored by cells.
   */
  readonly elements?: readonly string[];
  /** Whether to write the companion next to the file, as `FILE.annarrow/`. Readers on the web also find it there. */
  readonly beside?: boolean;
  /** The folder that contains companions; by default `XDG_CACHE_HOME/annarrow`, or `~/.cache/annarrow`. */
  readonly cache?: string;
  /**
   * Maximum total size of the folder in bytes, 20 GiB by default. If it is exceeded, the oldest companions are removed.
   */
  readonly cacheBytes?: number;
  /** Memory in bytes for sorting entries; 96 MiB by default. */
  readonly sortBytes?: number;
  readonly onProgress?: (progress: Progress) => void;
}

const REMOVE_OPTIONS = { cache: true, ...ACCESS_OPTIONS } as const satisfies OptionNames;

const COMPANION_OPTIONS = {
  ...REMOVE_OPTIONS,
  ...{ path: true, maxObjects: true, elements: true, beside: true, cacheBytes: true, sortBytes: true },
  ...{ onProgress: true, signal: true },
} as const satisfies NamesOf<CompanionOptions>;

/** Maximum number of bytes in a folder of companions. It is enough for about 10 billion entries. */
const CACHE_BYTES = 20 * 2 ** 30;

/** The result of creating a file's companion. */
export interface CompanionResult {
  /** Path or address of the companion's folder; null if no matrix needs a copy. */
  readonly path: string | null;
  /** True if this call wrote the companion. False if a valid companion with these matrices existed and was reused. */
  readonly written: boolean;
  /** The copied matrices, and the number of entries and the size in bytes of each copy. */
  readonly matrices: readonly { readonly name: string; readonly entries: number; readonly bytes: number }[];
  /** Matrices that are not copied, and the reasons. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** Companions of other files that were removed because the folder exceeded its size limit. */
  readonly removed: readonly ListedCompanion[];
}

/**
 * Writes a companion: a packed copy, ordered by gene, of the sparse matrices that are stored by cell. With a companion,
 * `gene`, `where` and queries read a few genes in milliseconds instead of scanning the matrix. `open` finds and uses
 * the companion automatically until the file changes. The companion is written completely or not at all. An existing
 * companion is replaced unless it is valid and contains all wanted matrices.
 * @param input path or URL, or a dataset that was opened from one.
 * @example
 * ```ts
 * await writeCompanion("pbmc.h5ad");
 * await using data = await open("pbmc.h5ad");
 * const cd3e = await data.gene("CD3E");
 * ```
 * @throws {NotFoundError} for a matrix that does not exist.
 * @throws {InvalidInputError} if the folder cannot be written.
 * @throws {UnsupportedError} for inputs whose versions cannot be distinguished.
 * @throws {InvalidDataError} if the file is broken, or changes while it is read.
 */
export async function writeCompanion(
  input: string | URL | Dataset,
  given: CompanionOptions = {},
): Promise<CompanionResult> {
  checkOptions(given, "writeCompanion", COMPANION_OPTIONS);
  const { elements, beside = false, cache, cacheBytes = CACHE_BYTES, sortBytes, onProgress, ...options } = given;
  if (beside && cache !== undefined)
    throw new InvalidInputError("a companion is beside its file, or in a folder of companions");
  const file = typeof input === "string" || input instanceof URL ? input : input.source;
  const read = { signal: options.signal };
  const dataset = await openStored(file, { ...options, companion: "off", whole: true });
  try {
    return await runWithLocation({ source: dataset.source }, async () => {
      const { companion } = dataset;
      const identity = companion === null ? "it is no file" : await companion.identity(read);
      if (companion === null || typeof identity === "string")
        throw new UnsupportedError(`it can have no companion: ${identity}`);
      const folder = beside ? null : (cache ?? cacheFolder());
      const path = await resolveCompanionPath(file, dataset.source, folder);
      const web = pickAccessOptions(options);
      const place = placeAt(path, web);
      const present = await validManifest(place, identity);
      const had = present?.matrices.map(({ name }) => name) ?? [];
      const wanted = elements === undefined ? null : [...new Set([...had, ...elements])];
      const { chosen, others } = selectMatricesToCopy(dataset.tables, await axesOf(dataset), wanted);
      if (chosen.length === 0) return { path: null, written: false, matrices: [], leftOut: others, removed: [] };
      const isThere = present !== null && chosen.every(({ name }) => had.includes(name));
      if (isThere) return { path, written: false, matrices: listed(present.matrices), leftOut: others, removed: [] };
      const checkUnchanged = async () => {
        await dataset.checkUnchanged();
        const now = await companion.identity(read);
        if (JSON.stringify(now) === JSON.stringify(identity)) return;
        throw new InvalidDataError("it was changed while it was copied", { code: "source-changed" });
      };
      const plan = { path, source: getSourceName(file, dataset), identity, matrices: chosen, checkUnchanged };
      const how = { ...read, ...web, budgetBytes: sortBytes, onProgress };
      const made = await makeCompanion(plan, how).catch(async (error: unknown) => {
        // Another process may have written its own companion to this path in the meantime.
        const manifest = isAnnarrowError(error, "InvalidInputError") ? await validManifest(place, identity) : null;
        if (manifest === null) throw error;
        return { manifest, leftOut: [] };
      });
      const leftOut = [...others, ...made.leftOut];
      if (made.manifest === null) return { path: null, written: false, matrices: [], leftOut, removed: [] };
      const removed = folder === null ? [] : await removeOldestCompanions(folder, [path], cacheBytes);
      return { path, written: true, matrices: listed(made.manifest.matrices), leftOut, removed };
    });
  } finally {
    await dataset.close();
  }
}

function listed(matrices: readonly GeneIndexMatrix[]): CompanionResult["matrices"] {
  return matrices.map((matrix) => ({ name: matrix.name, entries: matrix.nnz, bytes: countMatrixBytes(matrix) }));
}

/** Returns the names of the matrices that a dataset's companion copies. */
export async function listCompanionMatrices(dataset: Dataset): Promise<readonly string[]> {
  const stored = new Map<string, StoredTable>();
  for (const [name, table] of dataset.tables) {
    const own = await findTableInStore(table);
    if (own !== null) stored.set(name, own);
  }
  return selectMatricesToCopy(stored, await axesOf(dataset), null).chosen.map(({ name }) => name);
}

/** Returns the name under which manifests record a copied file. */
export function getSourceName(file: string | URL, { source }: Pick<Dataset, "source">): string {
  const local = getInputPath(file);
  return local === null ? source : resolve(local);
}

/** @param folder the folder that contains companions; null for a companion beside its file. */
export async function resolveCompanionPath(
  input: string | URL,
  source: string,
  folder: string | null,
): Promise<string> {
  const path = getInputPath(input);
  if (folder !== null) return resolveCachedPath(path ?? source, path === null, folder);
  if (path !== null) return getCompanionPathBeside(path);
  if (findFileScheme(source) !== null) return `${source}${SUFFIX}`;
  throw new InvalidInputError("nothing is written on a server: write the companion of the local file, and upload both");
}

function placeAt(path: string, options: AccessOptions = {}): GeneIndexLocation {
  return findFileScheme(path) !== null
    ? createWebLocation(`${path}/`, storeOpener(options))
    : createLocalLocation(async () => path);
}

/** Returns a companion's manifest; null if it does not belong to this version of the file. */
async function validManifest(place: GeneIndexLocation, identity: SourceIdentity): Promise<GeneIndexManifest | null> {
  const { findCompanion } = await import("../query/gene-index/companion.js");
  const found = await findCompanion(place, async () => identity, {});
  if (found === null || "problem" in found) return null;
  await found.source.close();
  return found.manifest;
}

async function axesOf(dataset: Pick<Dataset, "format"> & { readonly tables: ReadonlyMap<string, unknown> }) {
  const conversion = await conversions.of(dataset.format);
  const obs = conversion.mainAxes([...dataset.tables.keys()])?.obs ?? null;
  return { obs, axesOf: (name: string) => conversion.axesOf(name) };
}

/**
 * An entry of a folder of companions: a companion, or a copy of a file that `annarrow query --cache` made for DuckDB.
 */
export interface ListedCompanion {
  readonly path: string;
  /** Path or URL of the file that was copied. */
  readonly source: string;
  readonly kind: "by genes" | "for DuckDB";
  readonly elements: readonly string[];
  readonly bytes: number;
}

/** Lists the contents of a folder of companions, ordered by name. By default, this folder is in the user's cache. */
export async function listCompanions(folder: string = cacheFolder()): Promise<readonly ListedCompanion[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  const all: ListedCompanion[] = [];
  for (const name of names.sort()) {
    const path = join(folder, name);
    const tables = name.endsWith(TABLES) ? await findCachedTables(path) : null;
    if (tables !== null) {
      const { source, elements, bytes } = tables;
      // The folder is created only if a statement needs a whole large matrix, so it may not exist.
      if (elements.length > 0) all.push({ path, source, kind: "for DuckDB", elements, bytes });
      continue;
    }
    const manifest = await manifestAt(placeAt(path));
    if (manifest === null) continue;
    const { source, matrices } = manifest;
    const elements = matrices.map((one) => one.name);
    all.push({ path, source, kind: "by genes", elements, bytes: countCompanionBytes(manifest) });
  }
  return all;
}

/**
 * Removes the oldest entries from a folder of companions until the remaining ones take at most `most` bytes.
 * @param kept paths that must not be removed.
 */
export async function removeOldestCompanions(
  folder: string,
  kept: readonly string[],
  most = CACHE_BYTES,
): Promise<readonly ListedCompanion[]> {
  const all = await listCompanions(folder);
  const timed = await Promise.all(
    all
      .filter(({ path }) => !kept.includes(path))
      .map(async (one) => ({ ...one, time: (await stat(join(one.path, MANIFEST)).catch(() => null))?.mtimeMs ?? 0 })),
  );
  timed.sort((a, b) => a.time - b.time);
  let bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  const removed: ListedCompanion[] = [];
  for (const { time: _, ...one } of timed) {
    if (bytes <= most) break;
    await runFileOperation(one.path, () => rm(one.path, { recursive: true, force: true }));
    bytes -= one.bytes;
    removed.push(one);
  }
  return removed;
}

/** Returns the manifest of a folder, or null if the folder is not a companion. */
async function manifestAt(place: GeneIndexLocation): Promise<GeneIndexManifest | null> {
  const opened = await place.open({});
  if (opened === null) return null;
  await opened.source.close();
  try {
    const { parseCompanionManifest } = await import("../query/gene-index/manifest.js");
    return parseCompanionManifest(new TextDecoder().decode(opened.manifest));
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}

/**
 * Removes a file's companions: the one beside the file, and the one in a folder of companions. Also removes DuckDB's
 * cached tables from this folder.
 * @param input path or URL of the file, which may no longer exist.
 * @returns the paths or addresses of the removed folders.
 * @throws {InvalidInputError} if a folder cannot be removed.
 * @throws {UnsupportedError} if an object store refuses the removal.
 */
export async function removeCompanion(
  input: string | URL,
  given: Pick<CompanionOptions, "cache"> & AccessOptions = {},
): Promise<readonly string[]> {
  checkOptions(given, "removeCompanion", REMOVE_OPTIONS);
  const { cache = cacheFolder(), ...options } = given;
  const path = getInputPath(input);
  const removed: string[] = [];
  const beside =
    path !== null ? getCompanionPathBeside(path) : findFileScheme(String(input)) !== null ? `${input}${SUFFIX}` : null;
  const cached = await resolveCachedPath(path ?? String(input), path === null, cache);
  for (const folder of [...(beside === null ? [] : [beside]), cached, `${cached}${TABLES}`]) {
    const isOurs = folder.endsWith(TABLES)
      ? (await findCachedTables(folder)) !== null
      : (await manifestAt(placeAt(folder, options))) !== null;
    if (!isOurs) continue;
    if (findFileScheme(folder) !== null) await (await createRemoteOutput(folder, options)).removeFolder();
    else await runFileOperation(folder, () => rm(folder, { recursive: true }));
    removed.push(folder);
  }
  return removed;
}
