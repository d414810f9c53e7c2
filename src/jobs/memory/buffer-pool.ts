/** Blocks of memory that nobody looks at any more, for their next use: fresh memory costs more than what is written to it. */

import { sizeClass } from "../../kernels/values/own-bytes.js";

export interface BufferPoolOptions {
  /** Bytes that wait for their next use; what came first goes first where there is more: its size may no longer be wanted. */
  readonly most: number;
  /** Whether blocks have just as many bytes as are asked for; by default up to twice as many. */
  readonly exact?: boolean;
  /** Smaller blocks come from the heap faster, and are not kept; 0 by default. */
  readonly least?: number;
  /** Takes what is not kept; by default it is left to the garbage collector. */
  readonly free?: ((bytes: Uint8Array<ArrayBuffer>) => void) | undefined;
}

export class BufferPool {
  readonly #most: number;
  readonly #exact: boolean;
  readonly #least: number;
  readonly #free: (bytes: Uint8Array<ArrayBuffer>) => void;
  #blocks: ArrayBuffer[] = [];
  #bytes = 0;

  constructor({ most, exact = false, least = 0, free = () => undefined }: BufferPoolOptions) {
    this.#most = most;
    this.#exact = exact;
    this.#least = least;
    this.#free = free;
  }

  /** Bytes that lie here. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Exactly so many bytes, whatever they hold, at the begin of a block that is the caller's until `giveBack`. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes < this.#least) return new Uint8Array(bytes);
    if (this.#exact) return new Uint8Array(this.#fitting(bytes) ?? new ArrayBuffer(bytes));
    // A little more than asked for: the next one may have a few rows more.
    const block = this.#fitting(bytes) ?? new ArrayBuffer(sizeClass(Math.ceil((bytes * 17) / 16)));
    return new Uint8Array(block, 0, bytes);
  }

  /** As many blocks as there are, `count` at most, each with room for so many bytes. They may move away. */
  spare(bytes: number, count: number): ArrayBuffer[] {
    const found: ArrayBuffer[] = [];
    while (found.length < count) {
      const block = this.#fitting(bytes);
      if (block === null) break;
      found.push(block);
    }
    return found;
  }

  /** Takes a block that nobody looks at any more. */
  giveBack(block: ArrayBuffer): void {
    if (block.byteLength < this.#least || block.byteLength > this.#most) {
      this.#free(new Uint8Array(block));
      return;
    }
    this.#blocks.push(block);
    this.#bytes += block.byteLength;
    while (this.#bytes > this.#most) this.#free(new Uint8Array(this.#removed(0)));
  }

  /** The one that came last of those that are large enough, and not far too large. */
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
