/** Where output appears once it is complete, and the name that it has until then. */

import { lstat, open, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { InvalidInputError } from "../model/errors.js";
import { temporaryName } from "./leftovers.node.js";

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
