/** Where the paths in a saved R object may lead: into its own folder, and into those that the caller allows. */

import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { InvalidInputError, NotFoundError } from "../model/errors.js";
import type { FollowedSource, Locate } from "./followed.js";

/** Longer paths exist nowhere. */
const MAX_LENGTH = 4096;

/** An allowed folder, as it was named and as it really is. */
interface Folder {
  readonly named: string;
  readonly real: string;
}

/**
 * Paths are looked for as they are, relative ones in each folder; then, since what R saves is an absolute path of the
 * time of saving, by their last segments in each folder, the most of them first. What leads out of the folders, by `..`
 * or a symbolic link, is not there.
 * @param own the folder of the object; null where it has none.
 */
export function locateIn(own: string | null, allowed: readonly string[]): Locate {
  let folders: Promise<readonly Folder[]> | undefined;
  return async (path) => {
    if (path === "" || path.length > MAX_LENGTH || path.includes("\0")) return null;
    folders ??= Promise.all([...(own === null ? [] : [own]), ...allowed].map(folderAt));
    const known = await folders;
    for (const { at, asItIs } of candidates(path, known)) {
      const found = await targetAt(at, known);
      if (found !== null) return asItIs ? found : { ...found, elsewhere: at };
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
  /** It is where the path says. */
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

/** The file or folder there, if it really is in one of the folders. */
async function targetAt(path: string, folders: readonly Folder[]): Promise<FollowedSource | null> {
  const real = await realpath(path).catch(() => null);
  if (real === null || !folders.some((folder) => isInside(real, folder.real))) return null;
  const info = await stat(real).catch(() => null);
  if (info?.isDirectory()) {
    const { directorySource } = await import("../sources/directory.node.js");
    return { source: await directorySource(real) };
  }
  if (!info?.isFile()) return null;
  const { fileSource } = await import("../sources/file.node.js");
  return { source: await fileSource(real), file: real };
}

/** Strictly below: a folder of objects is no store itself. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The folder of the file at `path`. */
export function folderOf(path: string): string {
  return dirname(resolve(path));
}
