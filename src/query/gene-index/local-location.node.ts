/**
 * Locations of companions on this machine: next to the file, and in a folder, which is the user's cache by default.
 */

import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, isAbsolute, join, resolve } from "node:path";
import { isAnnarrowError } from "../../model/errors.js";
import { type GeneIndexLocation, openCompanionFolder } from "./location.js";
import { SUFFIX } from "./web-location.js";

/** Folder for companions that are not next to their files: `XDG_CACHE_HOME/annarrow`, or `~/.cache/annarrow`. */
export function cacheFolder(): string {
  const cache = process.env.XDG_CACHE_HOME;
  return join(cache !== undefined && isAbsolute(cache) ? cache : join(homedir(), ".cache"), "annarrow");
}

/** Returns the path of the companion next to a file or folder. */
export function getCompanionPathBeside(path: string): string {
  return `${resolve(path)}${SUFFIX}`;
}

/**
 * Returns the path of a file's companion in a folder of companions. All links to a file share one companion.
 * @param input a path or a URL.
 */
export async function resolveCachedPath(input: string, isUrl: boolean, folder: string): Promise<string> {
  const full = isUrl ? input : await realpath(input).catch(() => resolve(input));
  const digest = createHash("sha256").update(full).digest("hex").slice(0, 16);
  const name = basename(isUrl ? new URL(full).pathname : full).replace(/[^A-Za-z0-9._-]/g, "_");
  return join(folder, `${name.slice(0, 80)}-${digest}`);
}

/** @param path called when a companion is looked for. */
export function createLocalLocation(path: () => Promise<string>): GeneIndexLocation {
  return {
    isWeb: false,
    async open(options) {
      try {
        const { openDirectorySource } = await import("../../io/sources/directory.node.js");
        const name = await path();
        return await openCompanionFolder(name, await openDirectorySource(name), options);
      } catch (error) {
        if (isAnnarrowError(error)) return null;
        throw error;
      }
    },
  };
}
