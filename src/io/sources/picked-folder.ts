/** A folder that a user selects in a web page, given as its files by path, or as a handle for accessing it. */

import { InvalidDataError } from "../../model/errors.js";
import { checkMaxBytes, clampRange, KeyTree, splitKeySegments, splitPrefixSegments } from "./key.js";
import type { KeyValueSource } from "./source.js";

/** The methods of a `FileSystemDirectoryHandle` that are needed here. */
export interface FolderHandle {
  readonly name: string;
  getDirectoryHandle(name: string): Promise<FolderHandle>;
  getFileHandle(name: string): Promise<{ getFile(): Promise<File> }>;
  keys(): AsyncIterable<string>;
}

interface Folder {
  /** Returns the file that contains a key's value; undefined if it does not exist. */
  file(key: string): Promise<Blob | undefined>;
  list(prefix: string): Promise<string[]>;
}

/** @param files the files in a folder, by their relative paths. */
export function createPickedFilesSource(files: ReadonlyMap<string, Blob>, name: string): KeyValueSource {
  for (const key of files.keys()) splitKeySegments(key);
  const tree = new KeyTree(files.keys());
  return folderSource(name, {
    file: async (key) => files.get(key),
    list: async (prefix) => tree.children(splitPrefixSegments(prefix).join("/")),
  });
}

/** @param handle a folder. Only requested files are accessed. */
export function createPickedFolderSource(handle: FolderHandle): KeyValueSource {
  /** Folders by path. They are cached, because stores request many files from the same folder. */
  const folders = new Map<string, Promise<FolderHandle | undefined>>([["", Promise.resolve(handle)]]);
  const folderAt = (segments: readonly string[]): Promise<FolderHandle | undefined> => {
    const path = segments.join("/");
    const known = folders.get(path);
    if (known !== undefined) return known;
    const found = folderAt(segments.slice(0, -1)).then((above) =>
      above === undefined ? undefined : unlessAbsent(() => above.getDirectoryHandle(segments[segments.length - 1])),
    );
    folders.set(path, found);
    return found;
  };
  return folderSource(handle.name, {
    async file(key) {
      const segments = splitKeySegments(key);
      const folder = await folderAt(segments.slice(0, -1));
      return folder && unlessAbsent(async () => (await folder.getFileHandle(segments[segments.length - 1])).getFile());
    },
    async list(prefix) {
      const folder = await folderAt(splitPrefixSegments(prefix));
      const names: string[] = [];
      if (folder !== undefined) for await (const name of folder.keys()) names.push(name);
      return names;
    },
  });
}

function folderSource(name: string, folder: Folder): KeyValueSource {
  const bytesOf = async (key: string, blob: Blob): Promise<Uint8Array> => {
    try {
      return new Uint8Array(await blob.arrayBuffer());
    } catch (cause) {
      // Browsers refuse to read a file that has changed since the user selected it.
      throw new InvalidDataError(`cannot be read: ${cause}`, { source: name, element: key, cause, code: "outside" });
    }
  };
  return {
    kind: "keys",
    name,
    async get(key, options) {
      options?.signal?.throwIfAborted();
      const file = await folder.file(key);
      if (file === undefined) return undefined;
      checkMaxBytes(key, file.size, options);
      return bytesOf(key, file);
    },
    async getRanges(key, ranges, options) {
      options?.signal?.throwIfAborted();
      const file = await folder.file(key);
      if (file === undefined) return undefined;
      return Promise.all(
        ranges.map((range) => {
          const { start, end } = clampRange(range, file.size);
          return bytesOf(key, file.slice(start, end));
        }),
      );
    },
    async size(key, options) {
      options?.signal?.throwIfAborted();
      return (await folder.file(key))?.size;
    },
    async list(prefix, options) {
      options?.signal?.throwIfAborted();
      return folder.list(prefix);
    },
    close: async () => undefined,
  };
}

/** Returns the result of `find`; undefined if the name does not exist, or exists as the other kind of entry. */
async function unlessAbsent<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    // A name that the file system does not allow cannot exist.
    const isAbsent = error instanceof DOMException && ["NotFoundError", "TypeMismatchError"].includes(error.name);
    if (isAbsent || error instanceof TypeError) return undefined;
    throw error;
  }
}
