/**
 * Reads a file from the file system as a source, converts file system errors, and keeps a list of open files and
 * folders.
 */

import { constants, type Stats } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { AnnarrowError, InvalidDataError, InvalidInputError, NotFoundError } from "../../model/errors.js";
import { findSimilarNames } from "../../model/nearest.js";
import { findSystemReason, hasCode } from "../../model/system-error.node.js";
import { BlockCache } from "./kept-blocks.js";
import { checkRange } from "./memory.js";
import type { ByteSource, FileStamp, ReadOptions } from "./source.js";
import { SyncReads } from "./sync-reads.node.js";

/**
 * Flags for opening a file. With `O_NONBLOCK`, opening a pipe does not wait for its other end; Windows has no such
 * flag.
 */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file for random access. The bytes around small reads are cached for the next reads.
 * @param identity the `getFileIdentity` of the expected file; any file by default.
 * @throws {NotFoundError} if there is no file, {InvalidInputError} if it is not a regular file.
 * @throws {InvalidDataError} if it is not the expected file.
 */
export async function openFileSource(path: string, identity?: string): Promise<ByteSource> {
  let handle: FileHandle;
  try {
    handle = await open(path, READ);
  } catch (cause) {
    throw toFileError(cause, path);
  }
  const info = await handle.stat();
  if (!info.isFile()) {
    await handle.close();
    throw new InvalidInputError("no regular file: save what comes from a pipe or a device as a file first", {
      source: path,
    });
  }
  if (identity !== undefined && getFileIdentity(info) !== identity) {
    await handle.close();
    throw new InvalidDataError("the file was changed meanwhile", { source: path });
  }
  const sync = new SyncReads();
  const closed = markPathOpen(resolve(path));
  async function readInto(start: number, target: Uint8Array, options?: ReadOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    const end = start + target.length;
    checkRange(start, end, info.size, path);
    if (sync.read(handle, start, target)) return;
    const count = await readFrom(handle, start, target);
    if (count !== target.length) {
      throw new InvalidDataError(`the file ended at byte ${start + count}, expected ${end}`, {
        ...{ source: path, code: "source-changed" },
      });
    }
  }
  const blocks = new BlockCache(info.size, async (start, end) => {
    const bytes = new Uint8Array(end - start);
    await readInto(start, bytes);
    return bytes;
  });
  return {
    kind: "bytes",
    name: path,
    size: info.size,
    stamp: getFileStamp(info),
    plan: { kind: "file", path: resolve(path), identity: getFileIdentity(info) },
    async read(start, end, options) {
      options?.signal?.throwIfAborted();
      checkRange(start, end, info.size, path);
      if (sync.isLong) await sync.pause();
      return await blocks.read(start, end);
    },
    readInto,
    peek: (start, end) => (sync.isLong ? null : blocks.peek(start, end)),
    async checkUnchanged() {
      if (getFileIdentity(await handle.stat()) === getFileIdentity(info)) return;
      throw new InvalidDataError("the file was changed while it was read", { source: path, code: "source-changed" });
    },
    close: async () => {
      closed();
      blocks.clear();
      await handle.close();
    },
  };
}

/** Returns a string that differs for a file that has replaced another one. */
export function getFileIdentity({ dev, ino, size, mtimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs].join();
}

/** Returns the file properties that distinguish versions of the file. */
export function getFileStamp({ size, mtimeMs }: Stats): FileStamp {
  return { size, modified: mtimeMs, etag: null };
}

/** Reads the bytes [start, end) of an open file, or fewer at the end of the file. */
export async function readFully(handle: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start);
  return bytes.subarray(0, await readFrom(handle, start, bytes));
}

/** Maximum number of bytes per call. The system reads less than 2 GiB at a time. */
const AT_ONCE = 1 << 30;

/**
 * Fills `target` with the bytes from `start` on. @returns the number of bytes read, which is smaller at the end of the
 * file.
 */
export async function readFrom(handle: FileHandle, start: number, target: Uint8Array): Promise<number> {
  let done = 0;
  while (done < target.length) {
    const length = Math.min(target.length - done, AT_ONCE);
    const { bytesRead } = await handle.read(target, done, length, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

export function toFileError(cause: unknown, path: string): AnnarrowError {
  if (cause instanceof AnnarrowError) return cause;
  if (isAbsent(cause)) return new NotFoundError("no such file or directory", { source: path, cause });
  const reason = findSystemReason(cause);
  const message = cause instanceof Error ? cause.message : String(cause);
  const problem = reason === null ? message : `cannot be read: ${reason}`;
  return new InvalidInputError(problem, { source: path, cause, code: "outside" });
}

/** Maximum number of names in a folder that are compared with a misspelled name. */
const MAX_NAMES = 10_000;

/**
 * Converts an error for a path that a user specified, and suggests files if the name is misspelled. For paths that are
 * only probed, such as companion files, use `toFileError`, which does not read the folder.
 */
export async function createInputPathError(cause: unknown, path: string): Promise<AnnarrowError> {
  const error = toFileError(cause, path);
  if (!isAbsent(cause)) return error;
  const folder = dirname(path);
  const stem = basename(path).replace(/\..*$/, "");
  const others = (await readdir(folder).catch(() => [])).slice(0, MAX_NAMES);
  const meant = findSimilarNames(basename(path), others, stem.length).map((name) => join(folder, name));
  if (meant.length === 0) return error;
  return new NotFoundError(`${error.problem}; did you mean ${meant.join(" or ")}?`, { source: path, cause });
}

/** Whether the error means that there is nothing at the path. */
export function isAbsent(error: unknown): boolean {
  return hasCode(error, "ENOENT", "ENOTDIR");
}

/** Absolute paths of open files and folders, with a symbol for each time that one was opened. */
const opened = new Map<symbol, string>();

/** Records that the file or folder at the absolute `path` is open. The returned function removes the record. */
export function markPathOpen(path: string): () => void {
  const opening = Symbol(path);
  opened.set(opening, path);
  return () => void opened.delete(opening);
}

/** Returns the absolute paths of open files and folders, which must not be written to. */
export function getOpenPaths(): ReadonlySet<string> {
  return new Set(opened.values());
}
