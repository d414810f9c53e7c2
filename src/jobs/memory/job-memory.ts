/**
 * The memory of one job: what it takes is its own until it releases all at once, and the next job's then. Fresh memory
 * costs as much as decoding LZF does.
 */

import { sizeClass } from "../../kernels/values/own-bytes.js";

type Block = Uint8Array<ArrayBuffer>;

export class JobMemory {
  #free: Block[] = [];
  #taken: Block[] = [];
  /** Of somebody else's memory. */
  #places: Block[] = [];

  /** Exactly `bytes` bytes, whatever they hold, until the next `release`. */
  take(bytes: number): Block {
    const place = this.#places.findIndex(({ length }) => length === bytes);
    if (place >= 0) return this.#places.splice(place, 1)[0];
    const at = this.#free.findIndex((block) => block.length >= bytes && block.length <= 2 * bytes + MIN_BLOCK);
    const block = at < 0 ? new Uint8Array(Math.max(MIN_BLOCK, roundedUp(bytes))) : this.#free.splice(at, 1)[0];
    this.#taken.push(block);
    return block.subarray(0, bytes);
  }

  /** Gives these places first, each to whoever takes just as many bytes, until the next `release`. */
  prefer(places: readonly Block[]): void {
    this.#places = [...places];
  }

  /** Adds memory that was moved away, once it has come back. */
  giveBack(blocks: readonly ArrayBuffer[]): void {
    for (const block of blocks) this.#free.push(new Uint8Array(block));
  }

  /** Whether this memory was taken since the last `release`. */
  holds(memory: ArrayBufferLike): memory is ArrayBuffer {
    return this.#taken.some(({ buffer }) => buffer === memory);
  }

  /**
   * Ends the use of all that was taken; what was not used since the last time is given back to the system.
   * @param moved what is no longer here, or will not be.
   */
  release(moved?: ReadonlySet<ArrayBufferLike>): void {
    this.#free = moved === undefined ? this.#taken : this.#taken.filter(({ buffer }) => !moved.has(buffer));
    this.#taken = [];
    this.#places = [];
  }
}

const MIN_BLOCK = 2 ** 16;

/** A little more than asked for: the next job may have a few rows more. */
function roundedUp(bytes: number): number {
  return sizeClass(Math.ceil((bytes * 17) / 16));
}
