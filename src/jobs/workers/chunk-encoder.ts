/**
 * Encodes chunks in workers and in this thread at the same time, or in this thread alone if there are few or no
 * workers.
 */

import type { ChunkEncoder } from "../../containers/tree/container-writer.js";
import { yieldToEventLoop } from "../../io/sources/event-loop.js";
import type { ChunkEncoding } from "../../kernels/codecs/encode-chunk.js";
import { encodeChunk } from "../../kernels/codecs/encode-chunk.js";
import { BufferPool } from "../memory/buffer-pool.js";
import { fromSerializableError, type RawChunk } from "./messages.js";
import { getWorkerPool, type WorkerPool, WorkersUnavailable } from "./pool.js";

/** Minimum number of bytes for which workers are used. Fewer bytes are encoded before a worker has started. */
const MIN_BYTES = 4 * 2 ** 20;

/** Maximum number of workers per container. No writer fills chunks fast enough for more. */
const MAX_WORKERS = 8;

/** Bytes per message to a worker. With one small chunk per message, workers would often wait for this thread. */
const BATCH_BYTES = 2 ** 20;

/** Number of messages that a worker has at once: the current and the next message. */
const QUEUED = 2;

/**
 * Bytes of the chunks being encoded: each worker's queued messages and its next message, plus one message for this
 * thread. The total does not depend on the actual number of workers. A container waits for the first of these chunks
 * before it stores anything else, so otherwise the order in a file, and hence its bytes, would depend on the machine.
 */
const WINDOW_BYTES = (MAX_WORKERS * (QUEUED + 1) + 1) * BATCH_BYTES;

/** Maximum number of chunks being encoded at once, however small. */
const MAX_CHUNKS = 256;

const COMPRESSORS: readonly string[] = ["deflate", "gzip-part", "zstd", "blosc"];

/**
 * Creates the encoder for the chunks of one container.
 * @param signal once it is aborted, current and later chunks are rejected with the signal's reason.
 */
export function createChunkEncoder(signal?: AbortSignal): ChunkEncoder {
  const pool = getWorkerPool();
  return new SharedChunkEncoder(pool !== null && pool.size > 1 ? pool : null, signal);
}

interface Job extends RawChunk {
  readonly resolve: (encoded: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (error: unknown) => void;
}

class SharedChunkEncoder implements ChunkEncoder {
  readonly #signal: AbortSignal | undefined;
  readonly #workers: number;
  readonly #buffers: BufferPool;
  #pool: WorkerPool | null;
  #task: number | null = null;
  #sent = 0;
  #waiting: Job[] = [];
  #open = new Set<Job>();
  #busy = false;
  #bytes = 0;
  #chunkBytes = BATCH_BYTES;
  /** The reason why encoding has ended; null before the end. */
  #ended: { readonly reason: unknown } | null = null;

  constructor(pool: WorkerPool | null, signal: AbortSignal | undefined) {
    this.#pool = pool;
    // This thread works in place of one worker.
    this.#workers = pool === null ? 0 : Math.min(pool.size - 1, MAX_WORKERS);
    this.#buffers = new BufferPool({ most: 2 * WINDOW_BYTES, exact: true });
    this.#signal = signal;
    if (signal?.aborted) this.#end(signal.reason);
    else signal?.addEventListener("abort", this.#abort, { once: true });
  }

  get window(): number {
    return Math.min(Math.max(MAX_WORKERS + 1, Math.ceil(WINDOW_BYTES / this.#chunkBytes)), MAX_CHUNKS);
  }

  memory(bytes: number): Uint8Array<ArrayBuffer> {
    this.#chunkBytes = Math.max(bytes, 1);
    return this.#buffers.take(bytes);
  }

  encode(bytes: Uint8Array<ArrayBuffer>, encoding: ChunkEncoding): Promise<Uint8Array> {
    const encoded = new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended.reason);
        return;
      }
      const job: Job = { bytes, encoding, resolve, reject };
      this.#open.add(job);
      // Without compression, encoding costs no more than moving the bytes to a worker.
      if (!encoding.some(({ kind }) => COMPRESSORS.includes(kind))) {
        void this.#encodeHere(job);
        return;
      }
      this.#bytes += bytes.length;
      this.#waiting.push(job);
      this.#deal();
    });
    // The caller gets the error through `encoded`. If the caller is no longer waiting, the error must not be reported
    // as unhandled.
    encoded.catch(() => undefined);
    return encoded;
  }

  close(): void {
    this.#end(new TypeError("the encoder is closed"));
  }

  readonly #abort = () => this.#end(this.#signal?.reason);

  #end(reason: unknown): void {
    if (this.#ended !== null) return;
    this.#ended = { reason };
    this.#signal?.removeEventListener("abort", this.#abort);
    if (this.#task !== null) this.#pool?.end(this.#task);
    this.#waiting = [];
    for (const { reject } of this.#open) reject(reason);
    this.#open.clear();
  }

  /** Distributes as many chunks to workers as they can take, and the rest to this thread. */
  #deal(): void {
    const pool = this.#startedPool();
    if (pool !== null) {
      while (this.#sent < this.#workers * QUEUED && this.#waiting.length > 0) void this.#send(pool, this.#nextBatch());
    }
    if (!this.#busy && this.#waiting.length > 0) void this.#work();
  }

  /** Returns the started pool; null while only this thread encodes. */
  #startedPool(): WorkerPool | null {
    const pool = this.#pool;
    if (pool === null || (this.#bytes < MIN_BYTES && !pool.ready)) return null;
    if (pool.broken !== null) {
      this.#pool = null;
      return null;
    }
    if (this.#task === null) {
      pool.start(this.#workers);
      this.#task = pool.beginChunks();
    }
    return pool.ready ? pool : null;
  }

  #nextBatch(): Job[] {
    let bytes = 0;
    let count = 0;
    do bytes += this.#waiting[count++].bytes.length;
    while (count < this.#waiting.length && bytes + this.#waiting[count].bytes.length <= BATCH_BYTES);
    return this.#waiting.splice(0, count);
  }

  async #send(pool: WorkerPool, batch: readonly Job[]): Promise<void> {
    this.#sent++;
    try {
      const chunks = batch.map(({ bytes, encoding }) => ({ bytes, encoding }));
      const encoded = await pool.encodeChunks(this.#task ?? 0, chunks);
      for (const memory of encoded.memory) this.#buffers.giveBack(memory);
      for (const [i, job] of batch.entries()) {
        const result = encoded.chunks[i];
        this.#settle(job, () =>
          result instanceof Uint8Array ? job.resolve(result) : job.reject(fromSerializableError(result)),
        );
      }
    } catch (error) {
      if (error instanceof WorkersUnavailable) {
        this.#pool = null;
        if (this.#ended === null) this.#waiting.unshift(...batch);
      } else for (const job of batch) this.#settle(job, () => job.reject(error));
    } finally {
      this.#sent--;
      this.#deal();
    }
  }

  /** Encodes the chunks that are not taken by workers, one at a time, until no chunk is waiting. */
  async #work(): Promise<void> {
    this.#busy = true;
    for (;;) {
      // During this turn, replies of workers arrive and the caller continues.
      await yieldToEventLoop();
      this.#deal();
      const job = this.#waiting.shift();
      if (job === undefined) break;
      await this.#encodeHere(job);
    }
    this.#busy = false;
  }

  async #encodeHere(job: Job): Promise<void> {
    try {
      const encoded = await encodeChunk(job.bytes, job.encoding);
      if (encoded.buffer !== job.bytes.buffer) this.#buffers.giveBack(job.bytes.buffer);
      this.#settle(job, () => job.resolve(encoded));
    } catch (error) {
      this.#settle(job, () => job.reject(error));
    }
  }

  #settle(job: Job, settle: () => void): void {
    this.#open.delete(job);
    settle();
  }
}
