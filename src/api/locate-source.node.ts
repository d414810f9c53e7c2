/**
 * Resolves paths in a saved R object. They may point into the object's own folder and into folders that the caller
 * allows. Paths in an HDF5 file may only point into the allowed folders.
 */

import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { FollowFile } from "../containers/tree/followed-file.js";
import { once } from "../kernels/values/once.js";
import { InvalidInputError, NotFoundError } from "../model/errors.js";
import type { LocateSource, ReferencedSource } from "./referenced-stores.js";

/** Maximum length of a path. No file system has longer paths. */
const MAX_LENGTH = 4096;

/** An allowed folder: its path as given, and its real path after symbolic links are resolved. */
interface Folder {
  readonly named: string;
  readonly real: string;
}

/**
 * Looks up a path as it is (if it is relative, in each folder), and then by its last segments in each folder, trying
 * the most segments first. R saves absolute paths, which are wrong after files have moved. A path that leaves the
 * folders, by `..` or a symbolic link, counts as absent.
 * @param own the folder of the object; null if it has none.
 */
export function createSourceLocator(own: string | null, allowed: readonly string[]): LocateSource {
  const folders = once(() => Promise.all([...(own === null ? [] : [own]), ...allowed].map(folderAt)));
  return async (path) => {
    if (path === "" || path.length > MAX_LENGTH || path.includes("\0")) return null;
    const known = await folders();
    for (const { at, asItIs } of candidates(path, known)) {
      const found = await targetAt(at, known);
      if (found !== null) return asItIs ? found : { ...found, elsewhere: at };
    }
    return null;
  };
}

/**
 * Looks up a file name in the folder of the referring file, and then in each allowed folder. A name that leaves the
 * allowed folders, by `..`, as an absolute path or by a symbolic link, counts as absent.
 */
export function followFilesIn(allowed: readonly string[]): FollowFile {
  const folders = once(() => Promise.all(allowed.map(folderAt)));
  return async (name, from) => {
    if (name === "" || name.length > MAX_LENGTH || name.includes("\0")) return null;
    const known = await folders();
    const beside = from === undefined ? null : resolve(dirname(from), name);
    for (const at of [...(beside === null ? [] : [beside]), ...known.map(({ named }) => resolve(named, name))]) {
      const real = await realpath(at).catch(() => null);
      if (real === null || !known.some((folder) => isInside(real, folder.real))) continue;
      if (!(await stat(real).catch(() => null))?.isFile()) continue;
      const { openFileSource } = await import("../io/sources/file.node.js");
      return { source: await openFileSource(real), file: real, isBeside: at === beside };
    }
    return null;
  };
}

async function folderAt(path: string): Promise<Folder> {
  const named = resolve(path);
  const real = await realpath(named).catch((cause: unknown) => {
    throw new NotFoundError("no such folder to follow paths into", { source: path, cause });
  });
  if (!(await stat(real)).isDirectory()) throw new InvalidInputError("not a folder", { source: path });
  return { named, real };
}

interface Candidate {
  readonly at: string;
  /** True if the path is used exactly as the file states it. */
  readonly asItIs: boolean;
}

function* candidates(path: string, folders: readonly Folder[]): Generator<Candidate> {
  for (const { named } of folders) {
    const at = resolve(named, path);
    if (folders.some((folder) => isInside(at, folder.named) || isInside(at, folder.real))) yield { at, asItIs: true };
  }
  const segments = path.split(/[\\/]+/).filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) return;
  for (let from = 0; from < segments.length; from++) {
    for (const { named } of folders) yield { at: join(named, ...segments.slice(from)), asItIs: false };
  }
}

/** Returns the file or folder at a path if its real path is in one of the folders; otherwise null. */
async function targetAt(path: string, folders: readonly Folder[]): Promise<ReferencedSource | null> {
  const real = await realpath(path).catch(() => null);
  if (real === null || !folders.some((folder) => isInside(real, folder.real))) return null;
  const info = await stat(real).catch(() => null);
  if (info?.isDirectory()) {
    const { openDirectorySource } = await import("../io/sources/directory.node.js");
    return { source: await openDirectorySource(real) };
  }
  if (!info?.isFile()) return null;
  const { openFileSource } = await import("../io/sources/file.node.js");
  return { source: await openFileSource(real), file: real };
}

/** True if `path` is strictly below `folder`. A folder that contains objects is not itself a store. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
