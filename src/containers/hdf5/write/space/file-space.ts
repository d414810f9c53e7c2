/** The growing file. It allocates addresses in ascending order, and combines small pieces into large writes. */

import type { ByteTarget } from "../../../../io/targets/target.js";

/** Size in bytes of a block that collects small pieces. */
export const BLOCK_BYTES = 2 ** 20;

/** Maximum number of pending writes before `settle` waits. */
const MAX_WRITES = 4;

export class FileSpace {
  readonly #target: ByteTarget;
  readonly #base: number;
  #end = 0;
  /** The block that is being filled, its address, and the number of bytes in it. */
  #block: Uint8Array<ArrayBuffer> | null = null;
  #start = 0;
  #filled = 0;
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];
  /** The pending writes, oldest first. Each write begins when the previous one has ended. */
  readonly #writes: Promise<void>[] = [];
  #last: Promise<void> = Promise.resolve();

  /** @param base the position of address 0 in the file. */
  constructor(target: ByteTarget, base: number) {
    this.#target = target;
    this.#base = base;
  }

  /** The first unallocated address. */
  get end(): number {
    return this.#end;
  }

  allocate(bytes: number, alignment = 8): number {
    const address = this.#end + ((alignment - (this.#end % alignment)) % alignment);
    this.#end = address + bytes;
    return address;
  }

  /**
   * Appends bytes. If there are at least as many bytes as in a block, they are not copied, and must no longer change.
   */
  append(bytes: Uint8Array, alignment = 8): number {
    const address = this.allocate(bytes.length, alignment);
    this.place(address, bytes);
    return address;
  }

  /** Writes bytes at their allocated address, under the same conditions as `append`. */
  place(address: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (bytes.length >= BLOCK_BYTES) {
      this.#write(address, bytes);
      return;
    }
    if (this.#block !== null) {
      const gap = address - this.#start - this.#filled;
      const within = gap >= 0 && gap < 8 && this.#filled + gap + bytes.length <= BLOCK_BYTES;
      if (!within) this.#sendBlock();
    }
    if (this.#block === null) {
      this.#block = this.#spare.pop() ?? new Uint8Array(BLOCK_BYTES);
      this.#start = address;
      this.#filled = 0;
    }
    const at = address - this.#start;
    this.#block.fill(0, this.#filled, at);
    this.#block.set(bytes, at);
    this.#filled = at + bytes.length;
  }

  /** Writes bytes at their allocated address without copying them. They must not change until the promise resolves. */
  hand(address: number, bytes: Uint8Array): Promise<void> {
    return this.#write(address, bytes);
  }

  /** Writes bytes at their allocated address. The caller may reuse the memory once the promise resolves. */
  async store(address: number, bytes: Uint8Array): Promise<void> {
    if (bytes.length < BLOCK_BYTES) {
      this.place(address, bytes);
      await this.settle();
    } else {
      await this.#write(address, bytes);
    }
  }

  /**
   * Waits while too many writes are in progress.
   * @throws the target's error for an earlier write.
   */
  async settle(most = MAX_WRITES): Promise<void> {
    while (this.#writes.length > most) await this.#writes[0];
  }

  async flush(): Promise<void> {
    this.#sendBlock();
    await this.settle(0);
    await this.#last;
  }

  #sendBlock(): void {
    const block = this.#block;
    if (block === null) return;
    this.#block = null;
    const written = this.#write(this.#start, block.subarray(0, this.#filled));
    written.then(
      () => {
        if (this.#spare.length < MAX_WRITES) this.#spare.push(block);
      },
      () => undefined,
    );
  }

  #write(address: number, bytes: Uint8Array): Promise<void> {
    const written = this.#last.then(() => this.#target.write(this.#base + address, bytes));
    this.#last = written;
    this.#writes.push(written);
    // A failed write stays in the list, so that the next wait throws its error.
    written.then(
      () => {
        this.#writes.splice(this.#writes.indexOf(written), 1);
      },
      () => undefined,
    );
    return written;
  }
}
