/** The folders that are served: names -> files and stores below them, and nothing else. */

import type { Stats } from "node:fs";
import { lstat, opendir, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { isZarrFolder } from "../../containers/open/open-container.js";
import { InvalidInputError, NotFoundError } from "../../model/errors.js";
import { fileIdentity, isAbsent } from "../../sources/file.node.js";
import { Refusal } from "../requests/failure.js";
import { checkServedName, isServedName, pathSegments } from "../requests/names.js";

/** A file or store that may be opened. */
export interface ServedFile {
  /** As clients call it: `sub/pbmc.h5ad`. */
  readonly name: string;
  /** Its real path. */
  readonly path: string;
  /** Another one once it has changed; of a folder as it was found, once one of the files that describe it has. */
  readonly identity: string;
  readonly isFolder: boolean;
}

/** Where a new dataset may be written. */
export interface UploadPath {
  readonly name: string;
  readonly path: string;
  readonly exists: boolean;
}

interface Root {
  /** Null where it is the only one: then what is in it has no folder in front. */
  readonly name: string | null;
  readonly path: string;
}

/** What a listing goes through at most, so that a folder of the whole disk ends. */
const MOST_ENTRIES = 100_000;
const DEEPEST = 16;

/** Files whose names say that `open` may know them. */
const KNOWN = /\.(h5ad|h5mu|h5|hdf5|loom|mat|rds|parquet|arrow|arrows|feather|zip|tsv|tsv\.gz|bed|bed\.gz)$/i;

/** What in a folder changes when a store in it is written anew. */
const DOCUMENTS = ["zarr.json", ".zmetadata", ".zattrs", ".zgroup", "version", "manifest.json"];

export class Folders {
  readonly #roots: readonly Root[];

  private constructor(roots: readonly Root[]) {
    this.#roots = roots;
  }

  /**
   * @throws {NotFoundError} where there is no such folder.
   * @throws {InvalidInputError} where it is no folder, or two have the same name.
   */
  static async open(paths: readonly string[]): Promise<Folders> {
    if (paths.length === 0) throw new InvalidInputError("no folder to serve");
    const roots: Root[] = [];
    for (const path of paths) {
      const real = await realpath(path).catch((cause: unknown) => {
        throw new NotFoundError("no such folder", { source: path, cause });
      });
      if (!(await stat(real)).isDirectory()) throw new InvalidInputError("is no folder", { source: path });
      const name = paths.length === 1 ? null : basename(real);
      if (roots.some((root) => root.name === name)) {
        throw new InvalidInputError(`two folders of the name ${name}: they could not be told apart`, { source: path });
      }
      roots.push({ name, path: real });
    }
    return new Folders(roots);
  }

  /**
   * The dataset that a path begins with, and what is left of it: the name of a table.
   * @throws {Refusal} where there is none, a name is not allowed, or a link leads out.
   */
  async find(parts: readonly string[]): Promise<{ readonly found: ServedFile; readonly rest: string }> {
    const segments = pathSegments(parts);
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
    throw new Refusal("not-found", `nothing is served as ${JSON.stringify(segments.join("/"))}`);
  }

  /**
   * Where a dataset of that name would be.
   * @throws {Refusal} where its folder is not there, or a name is not allowed.
   */
  async place(parts: readonly string[]): Promise<UploadPath> {
    const segments = pathSegments(parts);
    const { root, at: start } = this.#rootOf(segments);
    for (const segment of segments.slice(start)) checkServedName(segment);
    const name = segments.join("/");
    const last = segments.length - 1;
    if (last < start) throw new Refusal("invalid", `${name} is a served folder, not a dataset`);
    let path = root.path;
    for (let at = start; at < last; at++) {
      const entry = await inside(root, join(path, segments[at]), segments.slice(0, at + 1));
      if (entry === null || !entry.info.isDirectory() || (await isDataset(entry.path, entry.info))) {
        throw new Refusal("not-found", `no folder ${segments.slice(0, at + 1).join("/")}`);
      }
      path = entry.path;
    }
    const existing = await inside(root, join(path, segments[last]), segments);
    return { name, path: existing?.path ?? join(path, segments[last]), exists: existing !== null };
  }

  /** The real paths of the folders. */
  get paths(): readonly string[] {
    return this.#roots.map(({ path }) => path);
  }

  /** The names of all datasets, in order; hidden files, other files and links that lead out are passed over. */
  async *names(prefix = ""): AsyncGenerator<string> {
    const left = { entries: MOST_ENTRIES };
    for (const root of this.#roots) {
      yield* walk(root, root.path, root.name === null ? [] : [root.name], prefix, left);
    }
  }

  #rootOf(segments: readonly string[]): { readonly root: Root; readonly at: number } {
    for (const root of this.#roots) {
      if (root.name === null) return { root, at: 0 };
      if (root.name === segments[0]) return { root, at: 1 };
    }
    throw new Refusal("not-found", `nothing is served as ${JSON.stringify(segments.join("/"))}`);
  }
}

/** What is at `path`, with links followed; null where nothing is. */
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
      throw new Refusal("forbidden", `${segments.join("/")} is a link that leads out of the served folder`);
    }
    return { path: real, info: await stat(real) };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (isAbsent(error)) return null;
    throw new Refusal("unavailable", `${segments.join("/")} cannot be looked at`, { cause: error });
  }
}

/** Whether a file or folder is opened as a whole, not looked into. */
export async function isDataset(path: string, info: Stats): Promise<boolean> {
  if (info.isFile()) return true;
  if (!info.isDirectory()) return false;
  if (/\.(zarr|bpcells)$/i.test(path)) return true;
  const names: string[] = [];
  for (const document of DOCUMENTS) if ((await statOf(join(path, document)))?.isFile()) names.push(document);
  return isZarrFolder(names) || names.includes("manifest.json") || names.includes("version");
}

/** Of a folder also what its documents say of themselves. */
async function identityOf(path: string, info: Stats): Promise<string> {
  const own = fileIdentity(info);
  if (!info.isDirectory()) return own;
  const documents = await Promise.all(DOCUMENTS.map((name) => statOf(join(path, name))));
  return [own, ...documents.map((one) => (one === null ? "" : fileIdentity(one)))].join("|");
}

/** Whether a file is the one that was found. */
export async function sameAsFound({ path, identity }: ServedFile): Promise<boolean> {
  const info = await statOf(path);
  return info !== null && fileIdentity(info) === identity;
}

async function statOf(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}

async function* walk(
  root: Root,
  folder: string,
  segments: readonly string[],
  prefix: string,
  left: { entries: number },
): AsyncGenerator<string> {
  if (segments.length > DEEPEST) return;
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      if (left.entries-- <= 0) break;
      if (isServedName(name)) names.push(name);
    }
  } catch {
    // A folder that cannot be read has nothing to show.
    return;
  }
  for (const name of names.sort()) {
    const path = [...segments, name];
    const shown = path.join("/");
    if (!mayLeadTo(shown, prefix)) continue;
    const entry = await inside(root, join(folder, name), path).catch(() => null);
    if (entry === null) continue;
    if (entry.info.isDirectory() && !(await isDataset(entry.path, entry.info))) {
      // A linked folder could be its own parent.
      if (entry.path === join(folder, name)) yield* walk(root, entry.path, path, prefix, left);
    } else if (entry.info.isDirectory() || KNOWN.test(name)) {
      yield shown;
    }
  }
}

/** Whether names below `shown` can begin with `prefix`, or `prefix` is of something in it. */
function mayLeadTo(shown: string, prefix: string): boolean {
  return shown.startsWith(prefix) || prefix.startsWith(`${shown}/`) || prefix === shown;
}
