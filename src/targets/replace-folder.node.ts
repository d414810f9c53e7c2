/** How a complete folder takes its place, and what may be there before. */

import { existsSync, renameSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { InvalidInputError } from "../model/errors.js";
import { diskError, hasCode, onDisk } from "../model/system-error.node.js";
import { contentsOf } from "./folder-contents.node.js";
import { replacedName } from "./leftovers.node.js";
import { exists, existsAlready, type OutputPath, syncFolder, type TargetOptions } from "./place.node.js";

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
