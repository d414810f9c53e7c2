/**
 * Reads bytes from local files that are already in memory, without a turn of the event loop. A turn takes ten times as
 * long as a short read, and the garbage collector may begin to mark in each turn.
 */

import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";

/** Maximum number of bytes in a synchronous read. A larger read is left to another thread. */
const MAX_BYTES = 2 ** 20;

/** Number of bytes, and number of reads, after which the event loop gets a turn. */
const BYTES_IN_A_ROW = 2 ** 24;
const READS_IN_A_ROW = 256;

/**
 * Milliseconds and bytes above which a read is assumed to have waited for the disk. The next reads are then left to
 * another thread, and each time more of them, up to a limit.
 */
const SLOW_MILLISECONDS = 1;
const SLOW_BYTES = 2 ** 19;
const MAX_AFTER_SLOW = 64;

/** Milliseconds of synchronous reading after which the event loop gets a turn. */
const LONG = 10;

export class SyncReads {
  #bytes = 0;
  #reads = 0;
  /** Number of reads that are still to be left to another thread. */
  #waiting = 0;
  #afterSlow = 1;
  #paused = performance.now();

  /** Tries to fill `target` with the bytes from `start` on. Returns false if the caller must read asynchronously. */
  read({ fd }: FileHandle, start: number, target: Uint8Array): boolean {
    if (target.length > MAX_BYTES || fd < 0) return false;
    if (this.#waiting > 0) {
      this.#waiting--;
      return false;
    }
    this.#bytes += target.length;
    this.#reads++;
    if (this.#bytes > BYTES_IN_A_ROW || this.#reads > READS_IN_A_ROW) return this.#left();
    const began = performance.now();
    let count: number;
    try {
      count = readSync(fd, target, 0, target.length, start);
    } catch {
      return false;
    }
    if (performance.now() - began > SLOW_MILLISECONDS * (1 + target.length / SLOW_BYTES)) {
      this.#waiting = this.#afterSlow;
      this.#afterSlow = Math.min(MAX_AFTER_SLOW, 2 * this.#afterSlow);
    }
    return count === target.length;
  }

  /** True if the event loop has had no turn for a long time. Then even work without a read should wait for `pause`. */
  get isLong(): boolean {
    return performance.now() - this.#paused > LONG;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.#paused = performance.now();
  }

  #left(): false {
    this.#bytes = 0;
    this.#reads = 0;
    return false;
  }
}
