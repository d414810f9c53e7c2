import { closeSync, openSync, writeSync } from "node:fs";

/** Mean time of a file, in milliseconds, beyond which threads are faster: they write four files at once. */
const SLOW = 0.5;

/** Number of the last files that count for the mean. */
const COUNTED = 16;

/** Number of files that threads write before the file system is tried again. */
const PAUSE = 256;

/**
 * Writes small files in the calling thread. On a local disk a file takes less time than handing it to another thread
 * does, and files of one folder are made one after the other whatever the number of threads. On a network, where each
 * file takes a millisecond, threads are faster: then the next files are left to them.
 */
export class DirectFiles {
  #mean = 0;
  #left = 0;

  /** Tells whether to write the next file here. Called once for each file. */
  take(): boolean {
    if (this.#left === 0) return true;
    this.#left--;
    return false;
  }

  /**
   * Creates the file `path`, which must not exist, and writes `bytes` to it.
   * @throws the system's error.
   */
  create(path: string, bytes: Uint8Array): void {
    const began = performance.now();
    const file = openSync(path, "wx");
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, done);
    } finally {
      closeSync(file);
    }
    this.#mean += (performance.now() - began - this.#mean) / COUNTED;
    if (this.#mean <= SLOW) return;
    this.#left = PAUSE;
    this.#mean = 0;
  }
}
