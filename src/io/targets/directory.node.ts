/**
 * Writes a directory that appears completely or not at all: it is written next to its final path under a temporary
 * name, flushed to the disk, and then renamed.
 */

import { execFile } from "node:child_process";
import { constants, mkdirSync, statSync } from "node:fs";
import { copyFile, mkdir, open, readdir, rm, rmdir, stat } from "node:fs/promises";
import { release } from "node:os";
import { dirname, join, sep } from "node:path";
import { promisify } from "node:util";
import { InvalidDataError, InvalidInputError } from "../../model/errors.js";
import { createDiskError, hasCode, runFileOperation } from "../../model/system-error.node.js";
import { splitKeySegments } from "../sources/key.js";
import { DirectFiles } from "./direct-files.node.js";
import { FileWriter } from "./file-writer.node.js";
import { createTemporaryOutput } from "./output-folder.node.js";
import { type OutputPath, publishFolder, syncFolder, type TargetOptions } from "./output-path.node.js";
import { Slots } from "./slots.js";
import type { KeyValueTarget, Target, ValueStream } from "./target.js";
import { ValueFile } from "./value-file.node.js";

// Flushes the files in a folder to the disk while more files are being written.

/** Number of bytes flushed together. */
const PORTION_BYTES = 1 << 25;

/**
 * Number of concurrent flushes, which is far more than there are threads, because flushes that are requested together
 * share a transaction in the file system.
 */
const FLUSHES_AT_ONCE = 16;

/**
 * Number of files from which the file system is flushed as a whole. For tens of thousands of small files, `fdatasync`
 * takes longer than everything else.
 */
const MANY_FILES = 512;

/**
 * Number of bytes and of files per flush if there are many files. Such a flush blocks everything that writes to the
 * file system.
 */
const LARGE_PORTION_BYTES = 1 << 28;
const LARGE_PORTION_FILES = 1 << 14;

/** The program that flushes a file system, because Node has no function for that. */
const SYNC = "/bin/sync";

/**
 * Flushes files to the disk in portions, once they have been written and closed, while the writer continues. If each
 * file were flushed separately, every flush would be a transaction in the file system. If all files were flushed at the
 * end, the disk would be idle until then.
 */
class Flusher {
  readonly #folder: string;
  #paths: string[] = [];
  #bytes = 0;
  #background: Promise<void> | null = null;
  #failure: unknown = null;

  /** @param folder the folder that contains all files. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  add(path: string, bytes: number): void {
    this.#paths.push(path);
    this.#bytes += bytes;
    if (this.#background !== null || !this.#isPortion()) return;
    this.#background = flush(this.#folder, this.#take()).then(
      () => {
        this.#background = null;
      },
      (error: unknown) => {
        this.#failure ??= error;
      },
    );
  }

  /** Resolves when no flush is in progress. */
  async settle(): Promise<void> {
    await this.#background;
  }

  /**
   * Flushes the remaining files, and the folders in the tree. @returns the number of files in the tree.
   * @throws the system's error.
   */
  async finish(): Promise<number> {
    await this.settle();
    if (this.#failure !== null) throw this.#failure;
    await flush(this.#folder, this.#take());
    return await flushFolders(this.#folder, new Slots(FLUSHES_AT_ONCE));
  }

  #isPortion(): boolean {
    const files = this.#paths.length;
    if (files < MANY_FILES) return this.#bytes >= PORTION_BYTES;
    return this.#bytes >= LARGE_PORTION_BYTES || files >= LARGE_PORTION_FILES;
  }

  #take(): string[] {
    const paths = this.#paths;
    this.#paths = [];
    this.#bytes = 0;
    return paths;
  }
}

async function flush(folder: string, paths: readonly string[]): Promise<void> {
  if (paths.length >= MANY_FILES && (await flushFileSystem(folder))) return;
  const slots = new Slots(FLUSHES_AT_ONCE);
  await Promise.all(paths.map((path) => slots.run(() => flushOne(path))));
}

/** Flushes everything on the file system of `folder`. @returns whether all of it is on the disk. */
async function flushFileSystem(folder: string): Promise<boolean> {
  if (process.platform !== "linux" || !reportsErrors(release())) return false;
  return promisify(execFile)(SYNC, ["-f", folder]).then(
    // Versions without `-f` print a message, and do not report errors.
    ({ stderr }) => stderr === "",
    () => false,
  );
}

/** True if `syncfs` reports files that could not be written, as in Linux since 5.8. */
function reportsErrors(version: string): boolean {
  const [major, minor] = version.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 8);
}

async function flushOne(path: string): Promise<void> {
  // Windows flushes only files that are opened for writing.
  const handle = await open(path, "r+");
  await handle.datasync().finally(() => handle.close());
}

/**
 * Flushes folders, because a name in a folder is durable only after the folder itself has been flushed. @returns the
 * number of files.
 */
async function flushFolders(folder: string, slots: Slots): Promise<number> {
  const entries = await slots.run(async () => {
    await syncFolder(folder);
    return readdir(folder, { withFileTypes: true });
  });
  const below = entries.filter((entry) => entry.isDirectory());
  const counts = await Promise.all(below.map((entry) => flushFolders(join(folder, entry.name), slots)));
  return counts.reduce((sum, count) => sum + count, entries.length - below.length);
}

/**
 * Maximum number of files that are written concurrently. A file takes three calls, for which the caller would otherwise
 * have to wait.
 */
const AT_ONCE = 16;

/** Copies share their data with the source file if the file system supports it, and never replace an existing file. */
const COPY = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/**
 * Size in bytes of the largest value that is written in the calling thread, or copied so that the caller can continue
 * while it is written.
 */
const SMALL = 1 << 16;

/**
 * Opens a target for the directory `path`, which supports keys and streams. A key's segments are nested folders.
 * Leftovers next to `path` from processes that have ended are removed, and a directory that such a process was
 * replacing is restored.
 * @throws {InvalidInputError} if `path` exists and `overwrite` is not given, if it is a folder that contains other
 * files, or if its parent folder cannot be written to.
 * @throws {NotFoundError} if the parent folder does not exist.
 */
export async function createDirectoryTarget(
  path: string,
  options: TargetOptions = {},
): Promise<KeyValueTarget & Target> {
  const { place, unregister, warnings } = await createTemporaryOutput(path, options);
  return new DirectoryTarget(place, options, unregister, warnings);
}

class DirectoryTarget implements KeyValueTarget, Target {
  readonly kind = "keys";
  readonly name: string;
  readonly warnings: readonly string[];
  /** False, because the directory may be copied to a file system that ignores case. */
  readonly caseSensitive = false;
  readonly allowsColon = process.platform !== "win32";
  readonly #place: OutputPath;
  readonly #options: TargetOptions;
  readonly #unregister: () => void;
  readonly #slots = new Slots(AT_ONCE);
  readonly #direct = new DirectFiles();
  readonly #flusher: Flusher;
  readonly #underWay = new Set<Promise<void>>();
  readonly #streams = new Map<ValueFile, string>();
  /** Number of complete files. */
  #files = 0;
  #failure: unknown = null;
  #state: "open" | "committed" | "aborted" = "open";

  constructor(place: OutputPath, options: TargetOptions, unregister: () => void, warnings: readonly string[]) {
    this.name = place.shown;
    this.warnings = warnings;
    this.#place = place;
    this.#options = options;
    this.#flusher = new Flusher(place.temporary);
    this.#unregister = unregister;
  }

  async set(key: string, bytes: Uint8Array): Promise<void> {
    this.#check("written to");
    const file = this.#file(key);
    const behind = bytes.length <= SMALL;
    if (behind && this.#direct.take()) {
      this.#createDirectly(file, key, bytes);
      return;
    }
    await this.#slots.take();
    const writing = this.#create(file, key, behind ? bytes.slice() : bytes).finally(() => this.#slots.give());
    const noted = writing.catch((error: unknown) => {
      this.#failure ??= error;
    });
    this.#underWay.add(noted);
    void noted.then(() => this.#underWay.delete(noted));
    if (!behind) await writing;
  }

  async copyFile(key: string, path: string, length: number): Promise<void> {
    this.#check("written to");
    const file = this.#file(key);
    await this.#slots.run(async () => {
      this.#check("written to");
      await this.#made(key, file, () => copyFile(path, file, COPY)).catch(async (error: unknown) => {
        if (await stat(path).catch(() => null)) throw error;
        throw new InvalidDataError("the file is gone that was to be copied", {
          ...{ source: path, cause: error, code: "source-changed" },
        });
      });
      // This call is synchronous, because the file was just created, so its size is still in memory.
      if (statSync(file).size !== length) {
        throw new InvalidDataError("the file was changed while it was read", { source: path, code: "source-changed" });
      }
      this.#flusher.add(file, length);
      this.#files++;
    });
  }

  async stream(key: string): Promise<ValueStream> {
    this.#check("written to");
    const path = this.#file(key);
    const file = await this.#made(key, path, () => ValueFile.create(path));
    this.#streams.set(file, key);
    const named = <T>(action: () => Promise<T>) => runFileOperation(join(this.#place.written, key), action);
    return {
      write: async (bytes) => {
        this.#check("written to");
        await named(() => file.write(bytes));
      },
      close: async () => {
        if (!this.#streams.delete(file)) return;
        await named(() => file.close());
        this.#flusher.add(path, file.length);
        this.#files++;
      },
    };
  }

  async write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    this.#check("written to");
    const file = this.#file(path);
    const source = join(this.#place.written, path);
    try {
      const writer = await runFileOperation(source, async () => {
        await mkdir(dirname(file), { recursive: true });
        return FileWriter.create(file, source);
      });
      await writer.writeAll(chunks);
      this.#files++;
    } catch (error) {
      await removeEmptyFolders(dirname(file), this.#place.temporary);
      throw error;
    }
  }

  async commit(): Promise<void> {
    this.#check("committed");
    const [open] = this.#streams.values();
    if (open !== undefined) throw new TypeError(`${this.name}: committed while ${open} is not closed`);
    await this.#settle();
    this.#check("committed");
    const found = await runFileOperation(this.#place.written, () => this.#flusher.finish());
    if (found < this.#files) {
      throw new InvalidInputError(
        `cannot be written: ${this.#files} files were, and ${found} are there: something else removes them`,
        { source: this.name },
      );
    }
    await this.#options.beforeCommit?.();
    await publishFolder(this.#place, this.#options);
    this.#state = "committed";
    this.#unregister();
  }

  async abort(): Promise<void> {
    if (this.#state !== "open") return;
    this.#state = "aborted";
    await Promise.all([...this.#streams.keys()].map((file) => file.discard()));
    await this.#settle();
    await rm(this.#place.temporary, { recursive: true, force: true });
    this.#unregister();
  }

  async anew(): Promise<KeyValueTarget> {
    await this.abort();
    return createDirectoryTarget(this.name, this.#options);
  }

  #check(verb: string): void {
    if (this.#state !== "open") throw new TypeError(`${this.name}: ${verb} after it was ${this.#state}`);
    if (this.#failure !== null) throw this.#failure;
  }

  #file(key: string): string {
    const segments = splitKeySegments(key);
    // On Windows, a backslash or a drive would lead to another folder.
    if (sep === "\\" && /[\\:*?"<>|]/.test(key)) {
      throw new InvalidInputError("has a character that no file name can have", { source: this.name, element: key });
    }
    return join(this.#place.temporary, ...segments);
  }

  #createDirectly(file: string, key: string, bytes: Uint8Array): void {
    try {
      try {
        this.#direct.create(file, bytes);
      } catch (error) {
        if (!hasCode(error, "ENOENT")) throw error;
        mkdirSync(dirname(file), { recursive: true });
        this.#direct.create(file, bytes);
      }
    } catch (cause) {
      const error = this.#fileError(key, cause);
      this.#failure ??= error;
      throw error;
    }
    this.#flusher.add(file, bytes.length);
    this.#files++;
  }

  async #create(file: string, key: string, bytes: Uint8Array): Promise<void> {
    this.#check("written to");
    const handle = await this.#made(key, file, () => open(file, "wx"));
    await runFileOperation(join(this.#place.written, key), async () => {
      try {
        for (let done = 0; done < bytes.length; ) {
          done += (await handle.write(bytes, done, Math.min(bytes.length - done, 1 << 30), done)).bytesWritten;
        }
      } finally {
        await handle.close();
      }
    });
    this.#flusher.add(file, bytes.length);
    this.#files++;
  }

  /** Opens a new file with `make`, creating the file's folder if it is missing. */
  async #made<T>(key: string, file: string, make: () => Promise<T>): Promise<T> {
    try {
      return await make().catch(async (error: unknown) => {
        if (!hasCode(error, "ENOENT")) throw error;
        await mkdir(dirname(file), { recursive: true });
        return make();
      });
    } catch (cause) {
      throw this.#fileError(key, cause);
    }
  }

  /** Returns the error for a file that cannot be created or written. */
  #fileError(key: string, cause: unknown): Error {
    if (!hasCode(cause, "EEXIST", "EISDIR")) return createDiskError(join(this.#place.written, key), cause);
    return new InvalidInputError(
      "is set twice, or differs from another key only in case, where that is no difference",
      { source: this.name, element: key, cause },
    );
  }

  /** Resolves when no write is in progress. */
  async #settle(): Promise<void> {
    await Promise.all(this.#underWay);
    await this.#flusher.settle();
  }
}

/** Removes the empty folders of a skipped table. */
async function removeEmptyFolders(folder: string, top: string): Promise<void> {
  try {
    for (let at = folder; at !== top; at = dirname(at)) await rmdir(at);
  } catch {
    // The folder is not empty.
  }
}
