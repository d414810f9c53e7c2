/**
 * Limits how far a stream decodes ahead of its client. While there are few streams, two of them are wide, which means
 * that workers decode a window of jobs ahead. Every other stream decodes a batch only after the client has taken the
 * previous one. A wide stream with a slow client loses its window, and batches that were not sent are decoded again
 * later.
 */

import { BufferPool } from "annarrow/core/jobs";
import { once } from "annarrow/core/kernels";
import { RequestLimit } from "../requests/request-limit.js";

export interface BackpressureOptions {
  /** Maximum number of streams that run wide; 2 by default. */
  readonly wide?: number;
  /** Maximum number of batches that are decoded concurrently for all narrow streams; 2 by default. */
  readonly narrow?: number;
  /** Maximum size in bytes of the decoded batches of all narrow streams together; 16 MiB by default. */
  readonly bytes?: number;
  /** Milliseconds after which a client counts as slow; 250 by default. */
  readonly patience?: number;
  /** Maximum size of a batch in bytes; 2 MiB by default. */
  readonly batchBytes?: number;
  /** Frees memory at once. */
  readonly free?: (bytes: Uint8Array<ArrayBuffer>) => void;
}

const SMALLEST_BATCH = 2 ** 18;

/** Number of streams above which low memory use matters more than the speed of a stream. */
const MANY = 8;

/** Minimum size in bytes of a pooled message. Smaller messages are allocated faster on the heap. */
const LEAST_KEPT = 2 ** 16;

export class Backpressure {
  readonly wide: RequestLimit;
  /** Limit on concurrent scans, for tables that can only be read from the beginning. */
  readonly scans: RequestLimit;
  readonly narrow: RequestLimit;
  readonly patience: number;
  readonly batchBytes: number;
  /** Memory of sent messages, which is reused for new messages. */
  readonly memory: BufferPool;
  readonly #bytes: number;
  #streams = 0;

  constructor({
    wide = 2,
    narrow = 2,
    bytes = 2 ** 24,
    patience = 250,
    batchBytes = 2 ** 21,
    free,
  }: BackpressureOptions = {}) {
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

  /** Counts a new stream. The caller must call the returned function when the stream ends. */
  begin(): () => void {
    this.#streams++;
    return once(() => {
      this.#streams--;
    });
  }

  /** True if there are too many streams to run some wide. A worker needs more memory than all streams' batches. */
  get isCrowded(): boolean {
    return this.#streams > MANY;
  }

  /** Acquires a slot for a wide stream, and returns its release function; null if there is no free slot. */
  tryWide(): (() => void) | null {
    return this.isCrowded ? null : this.wide.tryEnter();
  }

  /** Size in bytes of a narrow stream's only batch. */
  get narrowBytes(): number {
    return Math.min(this.batchBytes, Math.max(SMALLEST_BATCH, Math.floor(this.#bytes / Math.max(1, this.#streams))));
  }
}
