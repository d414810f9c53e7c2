/** The served folders: finds only the files and stores below them by name. */

import type { Stats } from "node:fs";
import { lstat, opendir, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { InvalidInputError, NotFoundError } from "annarrow";
import { isZarrFolder } from "annarrow/core/containers";
import { fileEndings, findEnding } from "annarrow/core/model";
import { getFileIdentity, isAbsent } from "annarrow/node/io";
import { RequestError } from "../requests/failure.js";
import { checkServedName, isServedName, splitPathSegments } from "../requests/names.js";

/** A file or store that may be opened. */
export interface ServedFile {
  /** Name for clients: `sub/pbmc.h5ad`. */
  readonly name: string;
  /** The resolved path, without symbolic links. */
  readonly path: string;
  /** Changes when the file changes; for a folder, when the files that describe the store change. */
  readonly identity: string;
  readonly isFolder: boolean;
}

export interface ListedDataset {
  readonly name: string;
  /** Size of a file; null for a folder. */
  readonly bytes: number | null;
}

export interface UploadPath {
  readonly name: string;
  readonly path: string;
  readonly exists: boolean;
}

interface Root {
  /** First part of the names of all datasets in the folder; null if there is only one folder. */
  readonly name: string | null;
  readonly path: string;
}

/** Limits of a listing, so that it ends even for a whole disk: number of entries, and depth of folders. */
const MAX_ENTRIES = 100_000;
const DEEPEST = 16;

/** Files in a folder that change when its store is rewritten. */
const DOCUMENTS = ["zarr.json", ".zmetadata", ".zattrs", ".zgroup", "version", "manifest.json"];

export class Folders {
  readonly #roots: readonly Root[];

  private constructor(roots: readonly Root[]) {
    this.#roots = roots;
  }

  /**
   * @throws {NotFoundError} if a folder does not exist.
   * @throws {InvalidInputError} for a path to a file, and for two folders with the same name.
   */
  static async open(paths: readonly string[]): Promise<Folders> {
    if (paths.length === 0) throw new InvalidInputError("no folder to serve");
    const roots: Root[] = [];
    for (const path of paths) {
      const real = await realpath(path).catch((cause: unknown) => {
        throw new NotFoundError("no such folder", { source: path, cause });
      });
      if (!(await stat(real)).isDirectory()) {
        throw new InvalidInputError("is no folder: give the folder that it is in", { source: path });
      }
      const name = paths.length === 1 ? null : basename(real);
      if (roots.some((root) => root.name === name)) {
        throw new InvalidInputError(`two folders of the name ${name}: they could not be told apart`, { source: path });
      }
      roots.push({ name, path: real });
    }
    return new Folders(roots);
  }

  /**
   * Finds the dataset at the beginning of a path. The rest of the path is the name of a table.
   * @throws {RequestError} if there is no such dataset, and for names and links that are not allowed.
   */
  async find(parts: readonly string[]): Promise<{ readonly found: ServedFile; readonly rest: string }> {
    const segments = splitPathSegments(parts);
    const { root, at: start } = this.#rootOf(segments);
    let path = root.path;
    for (let at = start; at < segments.length; at++) {
      checkServedName(segments[at]);
      const entry = await inside(root, join(path, segments[at]), segments.slice(0, at + 1));
      if (entry === null) break;
      path = entry.path;
      if (await isDataset(path, entry.info)) {
        const name = segments.slice(0, at + 1).join("/");
        return {
          found: { name, path, identity: await identityOf(path, entry.info), isFolder: entry.info.isDirectory() },
          rest: segments.slice(at + 1).join("/"),
        };
      }
      if (!entry.info.isDirectory()) break;
    }
    throw new RequestError("not-found", `nothing is served as ${JSON.stringify(segments.join("/"))}`);
  }

  /**
   * Returns the path at which a dataset with this name is to be created.
   * @throws {RequestError} if its folder does not exist, and for names that are not allowed.
   */
  async place(parts: readonly string[]): Promise<UploadPath> {
    const segments = splitPathSegments(parts);
    const { root, at: start } = this.#rootOf(segments);
    for (const segment of segments.slice(start)) checkServedName(segment);
    const name = segments.join("/");
    const last = segments.length - 1;
    if (last < start) throw new RequestError("invalid", `${name} is a served folder, not a dataset`);
    let path = root.path;
    for (let at = start; at < last; at++) {
      const entry = await inside(root, join(path, segments[at]), segments.slice(0, at + 1));
      if (entry === null || !entry.info.isDirectory() || (await isDataset(entry.path, entry.info))) {
        throw new RequestError("not-found", `no folder ${segments.slice(0, at + 1).join("/")}`);
      }
      path = entry.path;
    }
    const existing = await inside(root, join(path, segments[last]), segments);
    return { name, path: existing?.path ?? join(path, segments[last]), exists: existing !== null };
  }

  get paths(): readonly string[] {
    return this.#roots.map(({ path }) => path);
  }

  /** Yields the names of all datasets in order, except hidden files, other files, and links that lead outside. */
  async *names(prefix = ""): AsyncGenerator<string> {
    for await (const { name } of this.list(prefix)) yield name;
  }

  /** Yields all datasets, with sizes for files and null for folders. */
  async *list(prefix = ""): AsyncGenerator<ListedDataset> {
    const left = { entries: MAX_ENTRIES };
    for (const root of this.#roots) {
      yield* datasetsBelow(root.path, root.name === null ? [] : [root.name], { root, prefix, left });
    }
  }

  #rootOf(segments: readonly string[]): { readonly root: Root; readonly at: number } {
    for (const root of this.#roots) {
      if (root.name === null) return { root, at: 0 };
      if (root.name === segments[0]) return { root, at: 1 };
    }
    throw new RequestError("not-found", `nothing is served as ${JSON.stringify(segments.join("/"))}`);
  }
}

/** Resolves the file or folder at `path`, following links; null if it does not exist. */
async function inside(
  root: Root,
  path: string,
  segments: readonly string[],
): Promise<{ path: string; info: Stats } | null> {
  try {
    const own = await lstat(path);
    if (!own.isSymbolicLink()) return { path, info: own };
    const real = await realpath(path);
    if (real !== root.path && !real.startsWith(root.path.endsWith(sep) ? root.path : root.path + sep)) {
      throw new RequestError("forbidden", `${segments.join("/")} is a link that leads out of the served folder`);
    }
    return { path: real, info: await stat(real) };
  } catch (error) {
    if (error instanceof RequestError) throw error;
    if (isAbsent(error)) return null;
    throw new RequestError("unavailable", `${segments.join("/")} cannot be looked at`, { cause: error });
  }
}

/** Whether a file or folder is a dataset, so that a listing does not descend into it. */
export async function isDataset(path: string, info: Stats): Promise<boolean> {
  if (info.isFile()) return true;
  if (!info.isDirectory()) return false;
  if (/\.(zarr|bpcells)$/i.test(path)) return true;
  const names: string[] = [];
  for (const document of DOCUMENTS) if ((await statOf(join(path, document)))?.isFile()) names.push(document);
  return isZarrFolder(names) || names.includes("manifest.json") || names.includes("version");
}

/** Returns the identity of a file or folder. The identity of a folder covers the documents in it. */
async function identityOf(path: string, info: Stats): Promise<string> {
  const own = getFileIdentity(info);
  if (!info.isDirectory()) return own;
  const documents = await Promise.all(DOCUMENTS.map((name) => statOf(join(path, name))));
  return [own, ...documents.map((one) => (one === null ? "" : getFileIdentity(one)))].join("|");
}

export async function isUnchangedFile({ path, identity }: ServedFile): Promise<boolean> {
  const info = await statOf(path);
  return info !== null && getFileIdentity(info) === identity;
}

async function statOf(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}

interface Listing {
  readonly root: Root;
  readonly prefix: string;
  /** Number of entries that the listing may still read. */
  readonly left: { entries: number };
}

/** @param segments the segments of the folder's own name. */
async function* datasetsBelow(
  folder: string,
  segments: readonly string[],
  listing: Listing,
): AsyncGenerator<ListedDataset> {
  const { root, prefix, left } = listing;
  if (segments.length > DEEPEST) return;
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      if (left.entries-- <= 0) break;
      if (isServedName(name)) names.push(name);
    }
  } catch {
    // An unreadable folder is listed as empty.
    return;
  }
  const endings = fileEndings();
  for (const name of names.sort()) {
    const path = [...segments, name];
    const shown = path.join("/");
    if (!mayLeadTo(shown, prefix)) continue;
    const entry = await inside(root, join(folder, name), path).catch(() => null);
    if (entry === null) continue;
    if (entry.info.isDirectory() && !(await isDataset(entry.path, entry.info))) {
      // A folder that is reached through a link could contain itself.
      if (entry.path === join(folder, name)) yield* datasetsBelow(entry.path, path, listing);
    } else if (entry.info.isDirectory() || findEnding(name, endings) !== null) {
      yield { name: shown, bytes: entry.info.isFile() ? entry.info.size : null };
    }
  }
}

/** Whether `shown` or a name below it can begin with `prefix`, or whether `prefix` names a table in it. */
function mayLeadTo(shown: string, prefix: string): boolean {
  return shown.startsWith(prefix) || prefix.startsWith(`${shown}/`) || prefix === shown;
}
