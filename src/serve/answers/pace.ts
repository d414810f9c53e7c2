/**
 * How far ahead of its client a stream may decode. While there are few, two at a time run wide: workers decode a window of
 * jobs. All others decode one batch when the last one was taken. A wide stream whose client lets it wait gives its window
 * back: what was decoded and not sent is decoded again when it is wanted.
 */

import { BufferPool } from "../../jobs/memory/buffer-pool.js";
import { once } from "../../kernels/values/once.js";
import { RequestLimit } from "../requests/request-limit.js";

export interface PaceOptions {
  /** Streams that run wide. */
  readonly wide?: number;
  /** Batches that are decoded at once for all other streams. */
  readonly narrow?: number;
  /** Bytes that all other streams together may have ready. */
  readonly bytes?: number;
  /** After so many milliseconds a client counts as slow. */
  readonly patience?: number;
  /** Bytes of a batch at most. */
  readonly batchBytes?: number;
  /** Frees memory at once. */
  readonly free?: (bytes: Uint8Array<ArrayBuffer>) => void;
}

const SMALLEST_BATCH = 2 ** 18;

/** From so many streams on memory counts for more than the speed of one of them. */
const MANY = 8;

/** Smaller messages come from the heap faster than from the pool. */
const LEAST_KEPT = 2 ** 16;

export class Pace {
  readonly wide: RequestLimit;
  /** For tables that only a scan from their beginning gives. */
  readonly scans: RequestLimit;
  readonly narrow: RequestLimit;
  readonly patience: number;
  readonly batchBytes: number;
  /** Of messages that were sent. */
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

  /** A stream begins; the function that it gives is called at its end. */
  begin(): () => void {
    this.#streams++;
    return once(() => {
      this.#streams--;
    });
  }

  /** Whether there are so many streams that none may run wide: each worker takes more memory than all their batches. */
  get isCrowded(): boolean {
    return this.#streams > MANY;
  }

  /** Begins to run wide where there is room. */
  tryWide(): (() => void) | null {
    return this.isCrowded ? null : this.wide.tryEnter();
  }

  /** Bytes of the one batch that a stream has when it does not run wide. */
  get narrowBytes(): number {
    return Math.min(this.batchBytes, Math.max(SMALLEST_BATCH, Math.floor(this.#bytes / Math.max(1, this.#streams))));
  }
}
