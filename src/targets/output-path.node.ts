/**
 * The place of output on disk: its path, its name until it is complete, what may be there before, and how a complete
 * folder takes the place of another one.
 */

import { existsSync, renameSync } from "node:fs";
import { lstat, open, readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { InvalidInputError } from "../model/errors.js";
import { diskError, hasCode, onDisk } from "../model/system-error.node.js";
import { contentsOf } from "./folder-contents.node.js";
import { replacedName, temporaryName } from "./temporary-output.node.js";

export interface TargetOptions {
  /** Replace what is there. */
  readonly overwrite?: boolean;
}

export interface OutputPath {
  /** As the user wrote it, for errors. */
  readonly shown: string;
  /** Absolute. Where the user's path is a symbolic link, what it leads to: the link stays one. */
  readonly path: string;
  readonly folder: string;
  /** A path in the same folder, so on the same disk: a rename is all that is missing. */
  readonly temporary: string;
}

export async function placeOf(shown: string): Promise<OutputPath> {
  const given = resolve(shown);
  const link = await lstat(given).catch(() => null);
  const path = link?.isSymbolicLink() ? await realpath(given).catch(() => given) : given;
  const folder = dirname(path);
  return { shown, path, folder, temporary: join(folder, await temporaryName(basename(path))) };
}

/** The error where output is already. */
export function existsAlready(place: OutputPath, cause?: unknown): InvalidInputError {
  return new InvalidInputError("exists already; choose another name, or give overwrite (--overwrite)", {
    source: place.shown,
    cause,
  });
}

export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** A rename is durable once its folder is; where folders cannot be synced there is nothing to do. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // Windows opens no folder, some network file systems sync none.
  }
}

/**
 * An empty folder may be taken; one that holds anything but a store is never replaced, whatever was asked for.
 * @throws {InvalidInputError} where there is something that must not be replaced.
 */
export async function refuseFolder(place: OutputPath, options: TargetOptions): Promise<void> {
  if (!(await exists(place.path))) return;
  const there = await stat(place.path).catch(() => null);
  if (there?.isDirectory() !== true) {
    if (!options.overwrite) throw existsAlready(place);
    throw new InvalidInputError("is a file, and not replaced by a folder; choose another name", {
      source: place.shown,
    });
  }
  if (!options.overwrite) {
    const names = await onDisk(place.shown, () => readdir(place.path));
    if (names.length > 0) throw existsAlready(place);
    return;
  }
  const contents = await onDisk(place.shown, () => contentsOf(place.path));
  if (contents.kind !== "other") return;
  const file = JSON.stringify(contents.file);
  throw new InvalidInputError(
    contents.inside
      ? `holds ${file}, which is no part of the store around it, and is not replaced; move that away, or choose another name`
      : `holds ${file}, and is neither a Zarr store nor BPCells nor tables with a manifest.json of ours; it is not replaced, choose another name`,
    { source: place.shown },
  );
}

/**
 * Gives the complete folder `place.temporary` its name. What was there is removed last.
 * @throws {InvalidInputError} as `refuseFolder`, or where the file system refuses.
 */
export async function publishFolder(place: OutputPath, options: TargetOptions): Promise<void> {
  await refuseFolder(place, options);
  const { path, temporary, folder } = place;
  if (takesPlace(place)) return syncFolder(folder);
  if (!options.overwrite) await refuseFolder(place, options);
  // No rename replaces a folder that holds something. Nothing of this process comes between these.
  const replaced = replacedName(temporary);
  try {
    renameSync(path, replaced);
    try {
      renameSync(temporary, path);
    } catch (cause) {
      renameSync(replaced, path);
      throw cause;
    }
    // Before it is removed: half of a folder must not be taken for one that waits to be put back.
    renameSync(replaced, temporary);
  } catch (cause) {
    throw diskError(place.shown, cause);
  }
  await syncFolder(folder);
  // What cannot be removed stays under a name that says so: the output is complete all the same.
  await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
}

/** Renames onto nothing, or onto an empty folder; false where there is more. */
function takesPlace(place: OutputPath): boolean {
  try {
    renameSync(place.temporary, place.path);
    return true;
  } catch (cause) {
    // Windows renames onto no folder at all.
    if (hasCode(cause, "ENOTEMPTY", "EEXIST", "EPERM", "EACCES") && existsSync(place.path)) return false;
    throw diskError(place.shown, cause);
  }
}
