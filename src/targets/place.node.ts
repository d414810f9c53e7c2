/** Where output appears once it is complete, and the name that it has until then. */

import { randomBytes } from "node:crypto";
import { lstat, open, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { InvalidInputError } from "../errors.js";

export interface TargetOptions {
  /** Replace what is there. */
  readonly overwrite?: boolean;
}

export interface Place {
  /** As the user wrote it, for errors. */
  readonly shown: string;
  /** Absolute. Where the user's path is a symbolic link, what it leads to: the link stays one. */
  readonly path: string;
  readonly folder: string;
  /** `.name.<hex>.tmp` in the same folder, so on the same disk: a rename is all that is missing. */
  readonly temporary: string;
}

/** Longest name in bytes that is kept as it is; file systems take 255. */
const MAX_NAME = 200;

export async function placeOf(shown: string): Promise<Place> {
  const given = resolve(shown);
  const link = await lstat(given).catch(() => null);
  const path = link?.isSymbolicLink() ? await realpath(given).catch(() => given) : given;
  const folder = dirname(path);
  const temporary = join(folder, `.${shortened(basename(path))}.${randomBytes(6).toString("hex")}.tmp`);
  return { shown, path, folder, temporary };
}

/** The beginning of a temporary name for the same place: `.name.`. */
export function temporaryPrefix(place: Place): string {
  return `.${shortened(basename(place.path))}.`;
}

function shortened(name: string): string {
  let kept = "";
  let length = 0;
  for (const character of name) {
    length += Buffer.byteLength(character);
    if (length > MAX_NAME) break;
    kept += character;
  }
  return kept;
}

/** The error where output is already. */
export function existsAlready(place: Place, cause?: unknown): InvalidInputError {
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
