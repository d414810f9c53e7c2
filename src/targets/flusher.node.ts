import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "./place.node.js";
import { Slots } from "./slots.js";

/** Files are flushed in portions of so many bytes, or so many files. */
const PORTION_BYTES = 1 << 25;
const PORTION_FILES = 4096;

/** Flushes that come together share a transaction of the file system: far more at once than there are threads. */
const AT_ONCE = 16;

/**
 * Flushes files that are written and closed to the disk, in portions behind their writer. One by one as they are
 * written, every flush would be a transaction of the file system of its own; all at the end, the disk would idle first.
 */
export class Flusher {
  #paths: string[] = [];
  #bytes = 0;
  #background: Promise<void> | null = null;
  #failure: unknown = null;

  /** Notes a file of `bytes` bytes. */
  add(path: string, bytes: number): void {
    this.#paths.push(path);
    this.#bytes += bytes;
    if (this.#background !== null || (this.#bytes < PORTION_BYTES && this.#paths.length < PORTION_FILES)) return;
    this.#background = flush(this.#take()).then(
      () => {
        this.#background = null;
      },
      (error: unknown) => {
        this.#failure ??= error;
      },
    );
  }

  /** Resolves when nothing is being flushed. */
  async settle(): Promise<void> {
    await this.#background;
  }

  /**
   * Flushes the rest, and the folders of the tree at `top`. @returns how many files there are in it.
   * @throws the system's error.
   */
  async finish(top: string): Promise<number> {
    await this.settle();
    if (this.#failure !== null) throw this.#failure;
    await flush(this.#take());
    return await flushFolders(top, new Slots(AT_ONCE));
  }

  #take(): string[] {
    const paths = this.#paths;
    this.#paths = [];
    this.#bytes = 0;
    return paths;
  }
}

async function flush(paths: readonly string[]): Promise<void> {
  const slots = new Slots(AT_ONCE);
  await Promise.all(paths.map((path) => slots.run(() => flushOne(path))));
}

async function flushOne(path: string): Promise<void> {
  // Windows flushes only what may be written.
  const handle = await open(path, "r+");
  await handle.datasync().finally(() => handle.close());
}

/** The names in a folder are durable once the folder is. */
async function flushFolders(folder: string, slots: Slots): Promise<number> {
  const entries = await slots.run(async () => {
    await syncFolder(folder);
    return readdir(folder, { withFileTypes: true });
  });
  const below = entries.filter((entry) => entry.isDirectory());
  const counts = await Promise.all(below.map((entry) => flushFolders(join(folder, entry.name), slots)));
  return counts.reduce((sum, count) => sum + count, entries.length - below.length);
}
