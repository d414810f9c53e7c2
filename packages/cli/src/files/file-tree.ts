/** Files and folders to which name patterns are matched. */

import { lstat, readdir, stat } from "node:fs/promises";

/** A searchable tree of files and folders: the file system or an object store. */
export interface FileTree {
  /** Returns the entries of a folder; empty if it cannot be listed. */
  entries(folder: string): Promise<readonly TreeEntry[]>;
  exists(path: string): Promise<boolean>;
  isFolder(path: string): Promise<boolean>;
}

export interface TreeEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

export const localFiles: FileTree = {
  async entries(folder) {
    const path = folder === "" ? "." : folder;
    const found = await readdir(path, { withFileTypes: true }).catch(() => []);
    return found.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  },
  exists: async (path) => (await lstat(path).catch(() => null)) !== null,
  isFolder: async (path) => (await stat(path).catch(() => null))?.isDirectory() ?? false,
};
