/**
 * Limits how far a stream decodes ahead of its client. While there are few streams, two of them run wide: workers decode a
 * window of jobs. Every other stream decodes one batch when the client has taken the one before. A wide stream with a slow
 * client gives its window up; batches that were decoded and not sent are decoded again later.
 */

import { BufferPool } from "../../jobs/memory/buffer-pool.js";
import { once } from "../../kernels/values/once.js";
import { RequestLimit } from "../requests/request-limit.js";

export interface PaceOptions {
  /** Limit of streams that run wide; 2 by default. */
  readonly wide?: number;
  /** Limit of batches that are decoded concurrently for all other streams; 2 by default. */
  readonly narrow?: number;
  /** Limit of the bytes that all other streams together have ready; 16 MiB by default. */
  readonly bytes?: number;
  /** Milliseconds after which a client counts as slow; 250 by default. */
  readonly patience?: number;
  /** Limit of the bytes of a batch; 2 MiB by default. */
  readonly batchBytes?: number;
  /** Frees memory at once. */
  readonly free?: (bytes: Uint8Array<ArrayBuffer>) => void;
}

const SMALLEST_BATCH = 2 ** 18;

/** Beyond so many streams, memory counts for more than the speed of one of them. */
const MANY = 8;

/** Smaller messages come from the heap faster than from the pool. */
const LEAST_KEPT = 2 ** 16;

export class Pace {
  readonly wide: RequestLimit;
  /** Limit of concurrent scans, for tables that can only be read from their beginning. */
  readonly scans: RequestLimit;
  readonly narrow: RequestLimit;
  readonly patience: number;
  readonly batchBytes: number;
  /** Memory of sent messages, for the next ones. */
  readonly memory: BufferPool;
  readonly #bytes: number;
  #streams = 0;

  constructor({ wide = 2, narrow = 2, bytes = 2 ** 24, patience = 250, batchBytes = 2 ** 21, free }: PaceOptions = {}) {
    this.wide = new RequestLimit(wide, "wide streams");
    this.scans = new RequestLimit(wide, "scans");
    this.narrow = new RequestLimit(narrow, "batches");
    this.patience = patience;
    this.batchBytes = batchBytes;
    this.memory = new BufferPool({ most: bytes, least: LEAST_KEPT, free });
    this.#bytes = bytes;
  }

  get streams(): number {
    return this.#streams;
  }

  /** Counts a stream that begins. The caller calls the returned function at its end. */
  begin(): () => void {
    this.#streams++;
    return once(() => {
      this.#streams--;
    });
  }

  /** Whether there are too many streams for any to run wide: a worker takes more memory than all their batches. */
  get isCrowded(): boolean {
    return this.#streams > MANY;
  }

  /** Takes a place among the wide streams; null where none is free. */
  tryWide(): (() => void) | null {
    return this.isCrowded ? null : this.wide.tryEnter();
  }

  /** Bytes of the one batch of a stream that does not run wide. */
  get narrowBytes(): number {
    return Math.min(this.batchBytes, Math.max(SMALLEST_BATCH, Math.floor(this.#bytes / Math.max(1, this.#streams))));
  }
}
