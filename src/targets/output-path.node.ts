/**
 * Handles the place of output on disk: its path, its name until it is complete, the files that may be there before, and
 * the way a complete folder replaces another one.
 */

import { existsSync, renameSync } from "node:fs";
import { lstat, open, readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isCloudAddress } from "../cloud/objects/address.js";
import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import { diskError, hasCode, onDisk } from "../model/system-error.node.js";
import { contentsOf } from "./folder-contents.node.js";
import { replacedName, temporaryName } from "./temporary-output.node.js";

export interface TargetOptions {
  /** Replaces existing output. */
  readonly overwrite?: boolean;
  /** Called when the output is complete, and before it appears: it does not appear after an error. */
  readonly beforeCommit?: () => Promise<void>;
}

export interface OutputPath {
  /** The path as the user wrote it, for errors. */
  readonly shown: string;
  /** Absolute path. Where the user's path is a symbolic link, the link's goal: the link itself stays. */
  readonly path: string;
  readonly folder: string;
  /** A path beside the final one, so on its disk: a rename completes the output. */
  readonly temporary: string;
}

/** @throws {UnsupportedError} for an address of an object store, which would else be a folder called `s3:`. */
export function refuseCloud(output: string): void {
  if (!isCloudAddress(output)) return;
  throw new UnsupportedError("object stores are read, not written: write a file or folder, and upload it", {
    source: output,
  });
}

/** @throws {UnsupportedError} as `refuseCloud`. */
export async function placeOf(shown: string): Promise<OutputPath> {
  refuseCloud(shown);
  const given = resolve(shown);
  const link = await lstat(given).catch(() => null);
  const path = link?.isSymbolicLink() ? await realpath(given).catch(() => given) : given;
  const folder = dirname(path);
  return { shown, path, folder, temporary: join(folder, await temporaryName(basename(path))) };
}

/** The error for output that exists already. */
export function existsAlready(place: OutputPath, cause?: unknown): InvalidInputError {
  return new InvalidInputError("exists already; choose another name, or give overwrite (--overwrite)", {
    source: place.shown,
    cause,
  });
}

export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/**
 * Flushes a folder, because a rename is durable only after its folder. Where folders cannot be flushed, nothing
 * happens.
 */
export async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // Windows opens no folder, and some network file systems sync none.
  }
}

/**
 * Checks a folder that output is to replace. An empty folder may be replaced; a folder with anything but a store never,
 * even with `overwrite`.
 * @throws {InvalidInputError} where the folder must not be replaced.
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
      : `holds ${file}, and is neither a Zarr store nor BPCells nor tables with a manifest.json of ours, nor parts with a split.json; it is not replaced, choose another name`,
    { source: place.shown },
  );
}

/**
 * Gives the complete folder `place.temporary` its name. The folder that had the name before is removed last.
 * @throws {InvalidInputError} as `refuseFolder`, or where the file system refuses.
 */
export async function publishFolder(place: OutputPath, options: TargetOptions): Promise<void> {
  await refuseFolder(place, options);
  const { path, temporary, folder } = place;
  if (takesPlace(place)) return syncFolder(folder);
  if (!options.overwrite) await refuseFolder(place, options);
  // No rename replaces a folder that is not empty. The two renames are synchronous, so nothing of this process comes
  // between.
  const replaced = replacedName(temporary);
  try {
    renameSync(path, replaced);
    try {
      renameSync(temporary, path);
    } catch (cause) {
      renameSync(replaced, path);
      throw cause;
    }
    // The folder gets another name before it is removed: a half removed folder must not be put back by a later process.
    renameSync(replaced, temporary);
  } catch (cause) {
    throw diskError(place.shown, cause);
  }
  await syncFolder(folder);
  // A folder that cannot be removed keeps its temporary name; the output is complete nevertheless.
  await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
}

/** Renames to a free name, or onto an empty folder; false where the folder is not empty. */
function takesPlace(place: OutputPath): boolean {
  try {
    renameSync(place.temporary, place.path);
    return true;
  } catch (cause) {
    // Windows renames onto no folder, not even an empty one.
    if (hasCode(cause, "ENOTEMPTY", "EEXIST", "EPERM", "EACCES") && existsSync(place.path)) return false;
    throw diskError(place.shown, cause);
  }
}
