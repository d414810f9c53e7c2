/** Files and folders that patterns of names are compared with. */

import { lstat, readdir, stat } from "node:fs/promises";
import type { OpenOptions } from "../../api/open.js";
import { onDisk } from "../../model/system-error.node.js";

/** Options of requests to the web and to object stores. */
export type WebOptions = Pick<OpenOptions, "signal" | "http" | "cloud">;

/** Where files and folders are looked for: the file system, an object store. */
export interface FileTree {
  /** The entries of a folder; none where it cannot be listed. */
  entries(folder: string): Promise<readonly TreeEntry[]>;
  exists(path: string): Promise<boolean>;
  isFolder(path: string): Promise<boolean>;
}

export interface TreeEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** The file system. */
export const localFiles: FileTree = {
  async entries(folder) {
    const path = folder === "" ? "." : folder;
    const found = await onDisk(path, () => readdir(path, { withFileTypes: true })).catch(() => []);
    return found.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  },
  exists: async (path) => (await lstat(path).catch(() => null)) !== null,
  isFolder: async (path) => (await stat(path).catch(() => null))?.isDirectory() ?? false,
};
