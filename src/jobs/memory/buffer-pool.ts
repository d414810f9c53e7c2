/**
 * Memory that is used again, since fresh memory costs as much as decoding into it: a pool of blocks that several users
 * take and give back one by one, and the memory of one job, which is released as a whole.
 */

import { reusableSize } from "../../kernels/values/own-bytes.js";

type Block = Uint8Array<ArrayBuffer>;

export interface BufferPoolOptions {
  /** Most bytes that the pool keeps. Beyond them it drops the oldest block, whose size may no longer be wanted. */
  readonly most: number;
  /** Whether blocks have exactly the requested size; by default they may have up to twice as many bytes. */
  readonly exact?: boolean;
  /** Least size of a kept block, 0 by default: the heap gives smaller blocks faster. */
  readonly least?: number;
  /** Receives a block that the pool does not keep; by default it is left to the garbage collector. */
  readonly free?: ((bytes: Block) => void) | undefined;
}

/** Blocks that wait for their next user. */
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

  /** Bytes of all blocks in the pool. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes exactly `bytes` bytes of any content. They begin a block that belongs to the caller until `giveBack`. */
  take(bytes: number): Block {
    if (bytes < this.#least) return new Uint8Array(bytes);
    if (this.#exact) return new Uint8Array(this.#fitting(bytes) ?? new ArrayBuffer(bytes));
    return new Uint8Array(this.#fitting(bytes) ?? new ArrayBuffer(reusableSize(bytes)), 0, bytes);
  }

  /** Takes at most `count` blocks out of the pool, each with room for `bytes` bytes, to be sent to another thread. */
  spare(bytes: number, count: number): ArrayBuffer[] {
    const found: ArrayBuffer[] = [];
    while (found.length < count) {
      const block = this.#fitting(bytes);
      if (block === null) break;
      found.push(block);
    }
    return found;
  }

  /** Takes back a block that nobody reads any more. */
  giveBack(block: ArrayBuffer): void {
    if (block.byteLength < this.#least || block.byteLength > this.#most) {
      this.#free(new Uint8Array(block));
      return;
    }
    this.#blocks.push(block);
    this.#bytes += block.byteLength;
    while (this.#bytes > this.#most) this.#free(new Uint8Array(this.#removed(0)));
  }

  /** The newest block that has `bytes` bytes or more, but not more than twice as many. */
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

/** Most results whose memory waits for a later job. */
const WAITING_RESULTS = 8;

/**
 * Memory of results that nobody reads any more. Each later job takes the memory of one result, which has about the sizes
 * that the job needs. Tables that are read one after the other share it.
 */
export class ReturnedMemory {
  #results: (readonly ArrayBuffer[])[] = [];

  /** The memory of a result, which moves to a worker; nothing where none has come back. */
  take(): readonly ArrayBuffer[] {
    return this.#results.pop() ?? [];
  }

  /** Adds the memory of a result. Memory that was moved elsewhere has no bytes any more, and is left out. */
  giveBack(memory: readonly ArrayBuffer[]): void {
    const left = memory.filter(({ byteLength }) => byteLength > 0);
    if (left.length > 0 && this.#results.length < WAITING_RESULTS) this.#results.push(left);
  }
}

const LEAST_BLOCK = 2 ** 16;

/**
 * The memory of one job: the job takes blocks, releases all of them at once, and the next job takes them again. Jobs of
 * several tasks share it where they run one after another.
 */
export class JobMemory {
  #free: Block[] = [];
  #taken: Block[] = [];
  /** Blocks of the job's caller, which `take` gives first. */
  #preferred: Block[] = [];

  /** Exactly `bytes` bytes of any content, until the next `release`. */
  take(bytes: number): Block {
    const preferred = this.#preferred.findIndex(({ length }) => length === bytes);
    if (preferred >= 0) return this.#preferred.splice(preferred, 1)[0];
    const at = this.#free.findIndex((block) => block.length >= bytes && block.length <= 2 * bytes + LEAST_BLOCK);
    const block = at < 0 ? new Uint8Array(Math.max(LEAST_BLOCK, reusableSize(bytes))) : this.#free.splice(at, 1)[0];
    this.#taken.push(block);
    return block.subarray(0, bytes);
  }

  /** Lets `take` give one of `blocks` first, where its size is exactly right, until the next `release`. */
  prefer(blocks: readonly Block[]): void {
    this.#preferred = [...blocks];
  }

  /** Adds memory that was moved to another thread, once it has come back. */
  giveBack(blocks: readonly ArrayBuffer[]): void {
    for (const block of blocks) this.#free.push(new Uint8Array(block));
  }

  /** Whether `memory` was taken since the last `release`. */
  holds(memory: ArrayBufferLike): memory is ArrayBuffer {
    return this.#taken.some(({ buffer }) => buffer === memory);
  }

  /**
   * Ends the use of all memory taken. Blocks that this job did not use are left to the garbage collector.
   * @param moved memory that is, or will be, moved to another thread.
   */
  release(moved?: ReadonlySet<ArrayBufferLike>): void {
    this.#free = moved === undefined ? this.#taken : this.#taken.filter(({ buffer }) => !moved.has(buffer));
    this.#taken = [];
    this.#preferred = [];
  }

  /** Leaves all memory to the garbage collector, also what an ended job may still write to. */
  drop(): void {
    this.#free = [];
    this.#taken = [];
    this.#preferred = [];
  }
}
