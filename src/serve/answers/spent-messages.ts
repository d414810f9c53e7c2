/** Memory of messages that were sent, for the next ones, of whichever stream. */

import type { MessageMemory } from "../../jobs/memory/message-memory.js";
import { sizeClass } from "../../kernels/values/own-bytes.js";

/** Smaller ones come from the heap faster. */
const LEAST = 2 ** 16;

export class SpentMessages implements MessageMemory {
  readonly #most: number;
  readonly #free: (bytes: Uint8Array<ArrayBuffer>) => void;
  #blocks: ArrayBuffer[] = [];
  #bytes = 0;

  /**
   * @param most bytes that are kept.
   * @param free for those that are not; by default they are left to the garbage collector.
   */
  constructor(most: number, free: (bytes: Uint8Array<ArrayBuffer>) => void = () => undefined) {
    this.#most = most;
    this.#free = free;
  }

  /** Bytes that lie here. */
  get bytes(): number {
    return this.#bytes;
  }

  take(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes < LEAST) return new Uint8Array(bytes);
    // A little more than asked for: the next one may have a few rows more.
    const block = this.#fitting(bytes) ?? new ArrayBuffer(sizeClass(Math.ceil((bytes * 17) / 16)));
    return new Uint8Array(block, 0, bytes);
  }

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
  give(block: ArrayBuffer): void {
    if (block.byteLength < LEAST || block.byteLength > this.#most) {
      this.#free(new Uint8Array(block));
      return;
    }
    this.#blocks.push(block);
    this.#bytes += block.byteLength;
    while (this.#bytes > this.#most) this.#free(new Uint8Array(this.#removed(0)));
  }

  /** The one that came last of those that are large enough, and not far too large. */
  #fitting(bytes: number): ArrayBuffer | null {
    const at = this.#blocks.findLastIndex(({ byteLength }) => byteLength >= bytes && byteLength <= 2 * bytes);
    return at < 0 ? null : this.#removed(at);
  }

  #removed(at: number): ArrayBuffer {
    const [block] = this.#blocks.splice(at, 1);
    this.#bytes -= block.byteLength;
    return block;
  }
}
