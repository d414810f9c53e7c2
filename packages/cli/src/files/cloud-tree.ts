/** Files and folders of an object store, for matching name patterns. */

import { formatObjectAddress, openCloudStore, parseAddress } from "@annarrow/cloud";

import type { WebOptions } from "../context/context.js";
import type { FileTree, TreeEntry } from "./file-tree.js";

/** The objects of the bucket in `pattern`. Folders are listed once, and only if the pattern can match below them. */
export async function createCloudTree(pattern: string, { cloud, http, signal }: WebOptions): Promise<FileTree> {
  const bucket = parseAddress(pattern);
  const root = formatObjectAddress(bucket, "");
  const store = await openCloudStore(bucket, cloud, http);
  const known = new Map<string, Promise<readonly TreeEntry[]>>();
  const listed = async (prefix: string): Promise<readonly TreeEntry[]> => {
    const entries = new Map<string, TreeEntry>();
    const add = (key: string, isFolder: boolean) => {
      const name = key.slice(prefix.length).replace(/\/$/, "");
      // A key that ends with a slash stands for the folder itself.
      if (name !== "") entries.set(name, { name, isFolder });
    };
    for await (const { objects, folders } of store.list(prefix, { folders: true, signal })) {
      for (const { key } of objects) add(key, false);
      for (const folder of folders) add(folder, true);
    }
    return [...entries.values()];
  };
  const entries = (folder: string): Promise<readonly TreeEntry[]> => {
    const key = folder.slice(root.length).replace(/\/+$/, "");
    const prefix = key === "" ? "" : `${key}/`;
    const found = known.get(prefix) ?? listed(prefix);
    known.set(prefix, found);
    return found;
  };
  const entryAt = async (path: string) => {
    const slash = path.replace(/\/+$/, "").lastIndexOf("/");
    const name = path.slice(slash + 1).replace(/\/+$/, "");
    return (await entries(path.slice(0, slash + 1))).find((entry) => entry.name === name);
  };
  return {
    entries,
    exists: async (path) => (await entryAt(path)) !== undefined,
    isFolder: async (path) => (await entryAt(path))?.isFolder ?? false,
  };
}
