import { closeSync, openSync, writeSync } from "node:fs";

/** Mean milliseconds per file above which threads are faster, since they write four files at once. */
const SLOW = 0.5;

/** Number of most recent files that the mean covers. */
const COUNTED = 16;

/** Number of files that are left to threads before this thread tries to write again. */
const PAUSE = 256;

/**
 * Writes small files in the calling thread. On a local disk, writing a file takes less time than handing it to another
 * thread, and the files in one folder are created one after the other, however many threads there are. On a network,
 * where each file takes a millisecond, threads are faster, so the next files are then left to them.
 */
export class DirectFiles {
  #mean = 0;
  #left = 0;

  /** Returns true if the next file should be written in this thread. Called once per file. */
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
