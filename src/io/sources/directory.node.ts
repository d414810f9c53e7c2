/** Reads a directory of the file system as a key-value store. */

import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { InvalidDataError, InvalidInputError, runWithLocation, UnsupportedError } from "../../model/errors.js";
import { getFileStamp, isAbsent, markPathOpen, readFrom, readFully, toFileError } from "./file.node.js";
import { checkMaxBytes, clampRange, splitKeySegments, splitPrefixSegments } from "./key.js";
import { type OpenFile, OpenFileCache } from "./open-file-cache.node.js";
import { SeenFiles } from "./seen-files.js";
import type { FileStamp, GetOptions, KeyRange, KeyValueSource, LocalPlan, ReadOptions, StoredFile } from "./source.js";
import { SyncReads } from "./sync-reads.node.js";

/**
 * Flags for opening files, with which opening a symbolic link fails and opening a pipe does not wait; null on Windows,
 * which has no such flags.
 */
const NO_LINK =
  typeof constants.O_NOFOLLOW === "number" && typeof constants.O_NONBLOCK === "number"
    ? constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    : null;

/**
 * Opens a directory as a store in which a key's segments are nested folders. Nothing outside the directory is ever
 * read: a symbolic link that leads out of it causes an `UnsupportedError`.
 * @param since in milliseconds since 1970: reading a file that was written, added or removed later is an
 * `InvalidDataError`; null allows all files.
 * @param seen the files that other threads have read from the directory.
 * @throws {NotFoundError} if there is no such directory.
 */
export async function openDirectorySource(
  path: string,
  since: number | null = null,
  seen = new SeenFiles(),
): Promise<KeyValueSource> {
  try {
    const root = await realpath(path);
    if (!(await lstat(root)).isDirectory()) throw new InvalidInputError("not a directory", { source: path });
    return new Directory(path, root, since, seen);
  } catch (cause) {
    throw toFileError(cause, path);
  }
}

/**
 * Maximum number of files and folders in a store whose versions a thread records. Checking so many again takes a few
 * milliseconds.
 */
const MAX_SEEN = 1024;

/** Number of files and folders that are checked concurrently. */
const AT_ONCE = 64;

class Directory implements KeyValueSource {
  readonly kind = "keys";
  readonly name: string;
  readonly plan: LocalPlan;
  /** Real path of the directory. */
  readonly #root: string;
  readonly #since: number | null;
  /** Real paths of folders, by the segments of their keys. */
  readonly #folders = new Map<string, Promise<string>>();
  readonly #kept = new OpenFileCache((key) => this.#open(key));
  readonly #sync = new SyncReads();
  /**
   * Paths of the files and folders that this thread has recorded. `#seen` contains the versions found by all threads.
   */
  readonly #known = new Set<string>();
  readonly #seen: SeenFiles;
  readonly #noteClosed: () => void;

  constructor(path: string, root: string, since: number | null, seen: SeenFiles) {
    this.name = path;
    this.plan = {
      kind: "directory",
      path: root,
      identity: since === null ? "" : String(since),
      seen: seen.memory,
    };
    this.#seen = seen;
    this.#root = root;
    this.#since = since;
    this.#noteClosed = markPathOpen(root);
  }

  get(key: string, options?: GetOptions): Promise<Uint8Array | undefined> {
    return this.#withFile(key, async ({ handle, size }) => {
      options?.signal?.throwIfAborted();
      checkMaxBytes(key, size, options);
      return await readFully(handle, 0, size);
    });
  }

  getRanges(key: string, ranges: readonly KeyRange[], options?: ReadOptions): Promise<Uint8Array[] | undefined> {
    return this.#withFile(key, async ({ handle, size }) => {
      const parts: Uint8Array[] = [];
      for (const range of ranges) {
        options?.signal?.throwIfAborted();
        const { start, end } = clampRange(range, size);
        parts.push(await readFully(handle, start, end));
      }
      return parts;
    });
  }

  readInto(key: string, start: number, target: Uint8Array, options?: ReadOptions): Promise<number | undefined> {
    return this.#attempt(() =>
      this.#kept.use(key, async ({ handle }) => {
        options?.signal?.throwIfAborted();
        return this.#sync.read(handle, start, target) ? target.length : await readFrom(handle, start, target);
      }),
    );
  }

  size(key: string, options?: ReadOptions): Promise<number | undefined> {
    return this.#attempt(async () => {
      options?.signal?.throwIfAborted();
      const file = await this.#open(key);
      await file?.handle.close();
      return file?.size;
    });
  }

  async file(key: string, options?: ReadOptions): Promise<StoredFile | undefined> {
    const found = await this.#look(key, options);
    return found === undefined ? undefined : { path: found.path, size: found.info.size };
  }

  async stamp(key: string, options?: ReadOptions): Promise<FileStamp | undefined> {
    const found = await this.#look(key, options);
    return found === undefined ? undefined : getFileStamp(found.info);
  }

  /** Returns the path of the regular file for this key without opening it; undefined if it does not exist. */
  #look(key: string, options?: ReadOptions): Promise<{ readonly path: string; readonly info: Stats } | undefined> {
    return this.#attempt(async () => {
      options?.signal?.throwIfAborted();
      const segments = fileNames(splitKeySegments(key), key);
      let path = join(await this.#folder(segments.slice(0, -1), key), segments[segments.length - 1]);
      let info = await lstat(path);
      if (info.isSymbolicLink()) {
        path = this.#inside(await realpath(path), key);
        info = await lstat(path);
      }
      if (info.isDirectory()) return undefined;
      if (!info.isFile()) throw this.#notAFile(key);
      if (this.#since !== null && info.ctimeMs > this.#since) throw this.#changed(key);
      return { path, info };
    });
  }

  async version(prefix: string): Promise<string> {
    const folder = await this.#attempt(() => this.#folder(fileNames(splitPrefixSegments(prefix), prefix), prefix));
    if (folder === undefined) return "";
    const { ino, mtimeNs, ctimeNs } = await stat(folder, { bigint: true });
    return [ino, mtimeNs, ctimeNs].join();
  }

  async identity(prefix: string): Promise<string> {
    return await this.#folder(fileNames(splitPrefixSegments(prefix), prefix), prefix);
  }

  async list(prefix: string, options?: ReadOptions): Promise<string[]> {
    options?.signal?.throwIfAborted();
    const segments = fileNames(splitPrefixSegments(prefix), prefix);
    return (await this.#attempt(async () => readdir(await this.#folder(segments, prefix)))) ?? [];
  }

  /**
   * Checks that no file or folder has changed since it was read.
   * @throws if a file or folder has changed. A folder's version shows that files were replaced, added or removed; a
   * file's version shows that bytes were written to it.
   */
  async checkUnchanged(): Promise<void> {
    const seen: (readonly [path: string, version: string])[] = [];
    for (const [path, version] of this.#seen.entries()) seen.push([join(this.#root, path), version]);
    for (let first = 0; first < seen.length; first += AT_ONCE) {
      const some = seen.slice(first, first + AT_ONCE);
      const found = await Promise.all(some.map(([path]) => lstat(path).catch(() => null)));
      const at = some.findIndex(([, version], i) => versionOf(found[i]) !== version);
      if (at >= 0) throw this.#changed(relative(this.#root, some[at][0]) || "the store");
    }
  }

  #see(path: string, info: Stats): void {
    if (this.#known.size >= MAX_SEEN || this.#known.has(path)) return;
    this.#known.add(path);
    this.#seen.append(relative(this.#root, path), versionOf(info));
  }

  async close(): Promise<void> {
    this.#noteClosed();
    await this.#kept.close();
  }

  /** Runs `action` with the file for this key, and closes the file afterwards; undefined if it does not exist. */
  #withFile<T>(key: string, action: (file: OpenFile) => Promise<T>): Promise<T | undefined> {
    return this.#attempt(async () => {
      const file = await this.#open(key);
      if (file === undefined) return undefined;
      try {
        return await action(file);
      } finally {
        await file.handle.close();
      }
    });
  }

  /** Runs `action`; undefined if the file or folder does not exist. */
  #attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
    return runWithLocation({ source: this.name }, async () => {
      try {
        return await action();
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error instanceof Error && "errno" in error ? toFileError(error, this.name) : error;
      }
    });
  }

  /** Opens the regular file for this key; undefined if it does not exist. */
  async #open(key: string): Promise<OpenFile | undefined> {
    const segments = fileNames(splitKeySegments(key), key);
    const since = this.#since;
    let handle: FileHandle | undefined;
    try {
      const at = join(await this.#folder(segments.slice(0, -1), key), segments[segments.length - 1]);
      handle = (await openUnlinked(at)) ?? (await this.#openLinked(at, key));
    } catch (error) {
      if (since !== null && isAbsent(error)) await this.#checkAbsent(segments, key, since);
      throw error;
    }
    if (handle === undefined) return undefined;
    try {
      const info = await handle.stat();
      if (since !== null && info.ctimeMs > since) throw this.#changed(key);
      if (info.isFile()) {
        this.#see(join(await this.#folder(segments.slice(0, -1), key), segments[segments.length - 1]), info);
        return { handle, size: info.size };
      }
      if (!info.isDirectory()) throw this.#notAFile(key);
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    return undefined;
  }

  /** Opens a file that may be a link; undefined for directories. */
  async #openLinked(at: string, key: string): Promise<FileHandle | undefined> {
    let real = at;
    let info = await lstat(at);
    if (info.isSymbolicLink()) {
      real = this.#inside(await realpath(at), key);
      info = await lstat(real);
    }
    if (info.isDirectory()) return undefined;
    if (!info.isFile()) throw this.#notAFile(key);
    return await open(real, NO_LINK ?? "r");
  }

  /** Returns the real path of the folder with these segments. Each folder is looked up only once. */
  #folder(segments: readonly string[], key: string): Promise<string> {
    const id = segments.join("/");
    let known = this.#folders.get(id);
    if (known === undefined) {
      known = realpath(join(this.#root, ...segments)).then(async (path) => {
        const real = this.#inside(path, key);
        if (this.#known.size < MAX_SEEN) this.#see(real, await lstat(real));
        return real;
      });
      this.#folders.set(id, known);
      known.catch(() => this.#folders.delete(id));
    }
    return known;
  }

  /**
   * Checks that a real path is inside the directory.
   * @throws {UnsupportedError} if it is outside.
   */
  #inside(real: string, key: string): string {
    const root = this.#root;
    if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
    throw new UnsupportedError(`${key} is a symbolic link that leads out of the store`, {
      source: this.name,
      code: "symlink-escape",
    });
  }

  /**
   * Checks that an absent file was not removed after `since`. Removing a file changes its folder's modification time.
   * @throws {InvalidDataError} if the nearest existing folder was changed after `since`.
   */
  async #checkAbsent(segments: readonly string[], key: string, since: number): Promise<void> {
    for (let length = segments.length - 1; length >= 0; length--) {
      const info = await lstat(join(this.#root, ...segments.slice(0, length))).catch(() => null);
      if (info === null) continue;
      if (info.ctimeMs > since) throw this.#changed(key);
      return;
    }
  }

  #changed(key: string): InvalidDataError {
    return new InvalidDataError(`${key} has changed since the store was looked at`, {
      source: this.name,
      code: "source-changed",
    });
  }

  #notAFile(key: string): UnsupportedError {
    return new UnsupportedError(`${key} is neither a file nor a directory`, { source: this.name });
  }
}

/** Returns a string that differs if a file or folder has changed; empty if it does not exist. */
function versionOf(info: Stats | null): string {
  return info === null ? "" : [info.ino, info.isFile() ? info.size : "", info.mtimeMs].join();
}

/** Opens a path that is not a link, without calling `lstat`; null if that fails. */
async function openUnlinked(path: string): Promise<FileHandle | null> {
  if (NO_LINK === null) return null;
  try {
    return await open(path, NO_LINK);
  } catch (error) {
    if (isAbsent(error)) throw error;
    return null;
  }
}

/**
 * Returns a key's segments as file names.
 * @throws {InvalidInputError} on Windows for a backslash or a drive, which would lead to another folder.
 */
function fileNames(segments: string[], key: string): string[] {
  if (sep === "\\" && /[\\:]/.test(key)) {
    throw new InvalidInputError(`key ${key} has a character no file name can have`);
  }
  return segments;
}
