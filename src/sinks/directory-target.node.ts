/** A directory that appears whole or not at all: written beside its place under another name, then renamed. */

import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { InvalidInputError, NotFoundError } from "../errors.js";
import type { Target } from "./target.js";
import { registerCleanup } from "./unfinished.node.js";
import { writeFileDurably } from "./write-file.node.js";

export interface TargetOptions {
  /** Replace what is there. */
  readonly overwrite?: boolean;
}

/**
 * A target for the directory `path`.
 * @throws {InvalidInputError} where `path` exists and `overwrite` is not given.
 * @throws {NotFoundError} where the folder it should be in does not exist.
 */
export async function directoryTarget(path: string, options: TargetOptions = {}): Promise<Target> {
  const place = resolve(path);
  await refuseFolder(place, path, options);
  const parent = dirname(place);
  const name = basename(place);
  const temporary = join(parent, `.${name.slice(0, 200)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await mkdir(temporary);
  } catch (cause) {
    throw notWritable(parent, cause);
  }
  const done = registerCleanup(temporary);
  return {
    async write(relative, chunks) {
      const file = join(temporary, ...relative.split("/"));
      await mkdir(dirname(file), { recursive: true });
      try {
        await writeFileDurably(file, chunks);
      } catch (error) {
        await removeEmptyFolders(dirname(file), temporary);
        throw error;
      }
    },
    async commit() {
      await refuseFolder(place, path, options);
      const old = `${temporary}.old`;
      const replaced = await exists(place);
      if (replaced) await rename(place, old);
      try {
        await rename(temporary, place);
      } catch (error) {
        if (replaced) await rename(old, place);
        throw error;
      }
      done();
      await syncDirectory(parent);
      if (replaced) await rm(old, { recursive: true, force: true });
    },
    async abort() {
      done();
      await rm(temporary, { recursive: true, force: true });
    },
  };
}

/** A table that is left out leaves no folder behind. */
async function removeEmptyFolders(folder: string, top: string): Promise<void> {
  try {
    for (let at = folder; at !== top; at = dirname(at)) await rmdir(at);
  } catch {
    // not empty
  }
}

/** An empty folder may be taken; one with other things than tables is never replaced, whatever was asked for. */
async function refuseFolder(place: string, shown: string, options: TargetOptions): Promise<void> {
  const entries = await readdir(place).catch(() => null);
  if (entries === null) return refuseExisting(place, shown, { overwrite: false });
  if (entries.length === 0) return;
  await refuseExisting(place, shown, options);
  if (!entries.includes("manifest.json")) {
    throw new InvalidInputError("is a folder without manifest.json, and not replaced; choose another name", {
      source: shown,
    });
  }
}

/** @throws {InvalidInputError} where `place` exists and must not be replaced. */
export async function refuseExisting(place: string, shown: string, options: TargetOptions): Promise<void> {
  if (!options.overwrite && (await exists(place))) {
    throw new InvalidInputError("exists already; choose another name, or give overwrite (--overwrite)", {
      source: shown,
    });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

/** A rename is durable once its folder is; where folders cannot be synced there is nothing to do. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    const handle = await open(path, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // Windows
  }
}

/** The error for a folder that is absent or cannot be written. */
export function notWritable(folder: string, cause: unknown): Error {
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") {
    return new NotFoundError("no such folder; create it first", { source: folder, cause });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new InvalidInputError(`cannot be written: ${reason}`, { source: folder, cause });
}
