/**
 * Reusable memory, because allocating fresh memory costs as much as decoding into it. Contains a pool, from which
 * several users acquire and release blocks one by one, and the memory of one job, which is released as a whole.
 */

import { getReusableSize } from "../../kernels/values/copy-bytes.js";

type Block = Uint8Array<ArrayBuffer>;

export interface BufferPoolOptions {
  /**
   * Maximum number of bytes in the pool. If it is exceeded, the pool drops the oldest block, whose size may be out of
   * use.
   */
  readonly most: number;
  /** Whether blocks have exactly the requested size. By default they may be up to twice as large. */
  readonly exact?: boolean;
  /** Minimum size of a pooled block, 0 by default. The heap allocates smaller blocks faster. */
  readonly least?: number;
  /** Receives a block that the pool does not retain. By default it is left to the garbage collector. */
  readonly free?: ((bytes: Block) => void) | undefined;
}

export class BufferPool {
  readonly #most: number;
  readonly #exact: boolean;
  readonly #least: number;
  readonly #free: (bytes: Block) => void;
  #blocks: ArrayBuffer[] = [];
  #bytes = 0;

  constructor({ most, exact = false, least = 0, free = () => undefined }: BufferPoolOptions) {
    this.#most = most;
    this.#exact = exact;
    this.#least = least;
    this.#free = free;
  }

  /** Total size of all blocks in the pool in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Acquires exactly `bytes` bytes of arbitrary content, at the start of a block that the caller owns until `giveBack`.
   */
  take(bytes: number): Block {
    if (bytes < this.#least) return new Uint8Array(bytes);
    if (this.#exact) return new Uint8Array(this.#fitting(bytes) ?? new ArrayBuffer(bytes));
    return new Uint8Array(this.#fitting(bytes) ?? new ArrayBuffer(getReusableSize(bytes)), 0, bytes);
  }

  /** Removes up to `count` blocks that each have room for `bytes` bytes, so that they can be sent to another thread. */
  spare(bytes: number, count: number): ArrayBuffer[] {
    const found: ArrayBuffer[] = [];
    while (found.length < count) {
      const block = this.#fitting(bytes);
      if (block === null) break;
      found.push(block);
    }
    return found;
  }

  /** Returns a block to the pool. The caller must no longer read it. */
  giveBack(block: ArrayBuffer): void {
    if (block.byteLength < this.#least || block.byteLength > this.#most) {
      this.#free(new Uint8Array(block));
      return;
    }
    this.#blocks.push(block);
    this.#bytes += block.byteLength;
    while (this.#bytes > this.#most) this.#free(new Uint8Array(this.#removed(0)));
  }

  /** Returns the newest block of at least `bytes` and at most twice as many bytes. */
  #fitting(bytes: number): ArrayBuffer | null {
    const most = this.#exact ? bytes : 2 * bytes;
    const at = this.#blocks.findLastIndex(({ byteLength }) => byteLength >= bytes && byteLength <= most);
    return at < 0 ? null : this.#removed(at);
  }

  #removed(at: number): ArrayBuffer {
    const [block] = this.#blocks.splice(at, 1);
    this.#bytes -= block.byteLength;
    return block;
  }
}

/** Maximum number of results whose memory is cached for a later job. */
const WAITING_RESULTS = 8;

/**
 * Memory of results that are no longer read. Each later job acquires the memory of one result, because its block sizes
 * are about right for the job. Tables that are read one after the other share this memory.
 */
export class ReleasedMemory {
  #results: (readonly ArrayBuffer[])[] = [];

  /** Returns the memory of one result, to be moved to a worker; empty if no memory has been returned. */
  take(): readonly ArrayBuffer[] {
    return this.#results.pop() ?? [];
  }

  /** Adds the memory of a result. Memory that was transferred elsewhere has no bytes and is ignored. */
  giveBack(memory: readonly ArrayBuffer[]): void {
    const left = memory.filter(({ byteLength }) => byteLength > 0);
    if (left.length > 0 && this.#results.length < WAITING_RESULTS) this.#results.push(left);
  }
}

const LEAST_BLOCK = 2 ** 16;

/**
 * The memory of one job. The job acquires blocks and releases all of them at once, and the next job reuses them. Jobs
 * of several tasks share the memory if they run one after another.
 */
export class JobMemory {
  #free: Block[] = [];
  #taken: Block[] = [];
  /** Blocks of the job's caller, which `take` uses first. */
  #preferred: Block[] = [];

  /** Acquires exactly `bytes` bytes of arbitrary content, until the next `release`. */
  take(bytes: number): Block {
    const preferred = this.#preferred.findIndex(({ length }) => length === bytes);
    if (preferred >= 0) return this.#preferred.splice(preferred, 1)[0];
    const at = this.#free.findIndex((block) => block.length >= bytes && block.length <= 2 * bytes + LEAST_BLOCK);
    const block = at < 0 ? new Uint8Array(Math.max(LEAST_BLOCK, getReusableSize(bytes))) : this.#free.splice(at, 1)[0];
    this.#taken.push(block);
    return block.subarray(0, bytes);
  }

  /** Makes `take` use one of the `blocks` first if the sizes match exactly, until the next `release`. */
  prefer(blocks: readonly Block[]): void {
    this.#preferred = [...blocks];
  }

  /** Adds memory that was transferred to another thread and has been returned. */
  giveBack(blocks: readonly ArrayBuffer[]): void {
    for (const block of blocks) this.#free.push(new Uint8Array(block));
  }

  /** Whether `memory` was taken since the last `release`. */
  holds(memory: ArrayBufferLike): memory is ArrayBuffer {
    return this.#taken.some(({ buffer }) => buffer === memory);
  }

  /**
   * Releases all memory. Blocks that this job did not use are left to the garbage collector.
   * @param moved memory that is, or will be, moved to another thread.
   */
  release(moved?: ReadonlySet<ArrayBufferLike>): void {
    this.#free = moved === undefined ? this.#taken : this.#taken.filter(({ buffer }) => !moved.has(buffer));
    this.#taken = [];
    this.#preferred = [];
  }

  /** Leaves all memory to the garbage collector, including memory that an aborted job may still write to. */
  drop(): void {
    this.#free = [];
    this.#taken = [];
    this.#preferred = [];
  }
}
