/** Flushes the files of a folder to the disk while more are written. */

import { execFile } from "node:child_process";
import { open, readdir } from "node:fs/promises";
import { release } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { syncFolder } from "./output-path.node.js";
import { Slots } from "./slots.js";

/** Bytes that are flushed together. */
const PORTION_BYTES = 1 << 25;

/**
 * Number of flushes at once, far more than there are threads: flushes that are requested together share a transaction
 * of the file system.
 */
const FLUSHES_AT_ONCE = 16;

/**
 * Number of files from which on the file system is flushed as a whole: `fdatasync` of tens of thousands of small files
 * takes longer than all the rest.
 */
const MANY_FILES = 512;

/** Bytes, and number of files, that are flushed together where they are many: such a flush holds up whoever writes. */
const LARGE_PORTION_BYTES = 1 << 28;
const LARGE_PORTION_FILES = 1 << 14;

/** The program that flushes a file system: Node has no call for it. */
const SYNC = "/bin/sync";

/**
 * Flushes files to the disk in portions, behind their writer, once they are written and closed. If each file were
 * flushed alone, every flush would be a transaction of the file system; if all were flushed at the end, the disk would
 * idle first.
 */
export class Flusher {
  readonly #folder: string;
  #paths: string[] = [];
  #bytes = 0;
  #background: Promise<void> | null = null;
  #failure: unknown = null;

  /** @param folder the folder that has all the files. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Adds a file of `bytes` bytes to the next portion. */
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

  /** Resolves when no flush is under way. */
  async settle(): Promise<void> {
    await this.#background;
  }

  /**
   * Flushes the rest, and the folders of the tree. @returns the number of files in the tree.
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
    // Versions without `-f` say so, and report no errors.
    ({ stderr }) => stderr === "",
    () => false,
  );
}

/** Whether `syncfs` reports that a file could not be written, which Linux does from 5.8 on. */
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
 * Flushes folders, because a name in a folder is durable only after the folder itself. @returns the number of files.
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
