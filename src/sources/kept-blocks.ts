/** Cache of blocks around small reads of a file, since metadata lies together. */

/** Bytes of one block. */
const BLOCK = 1 << 16;

/** Blocks that are kept, those used last. */
const MOST_BLOCKS = 16;

/** Larger reads are not served from blocks. */
const SMALL = 1 << 13;

/** Whole blocks of a file, each fetched once. */
export class KeptBlocks {
  readonly #size: number;
  readonly #fetch: (start: number, end: number) => Promise<Uint8Array>;
  /** In the order of use, the last one last. */
  readonly #blocks = new Map<number, Promise<Uint8Array>>();
  /** Blocks that have come. */
  readonly #here = new Map<number, Uint8Array>();

  /**
   * @param size of the file.
   * @param fetch exactly the bytes [start, end).
   */
  constructor(size: number, fetch: (start: number, end: number) => Promise<Uint8Array>) {
    this.#size = size;
    this.#fetch = fetch;
  }

  /** The bytes [start, end), which lie in the file, in memory of their own. */
  async read(start: number, end: number): Promise<Uint8Array> {
    if (end - start > SMALL || start === end) return await this.#fetch(start, end);
    const first = Math.floor(start / BLOCK);
    const last = Math.floor((end - 1) / BLOCK);
    try {
      const head = await this.#block(first);
      // Views would keep whole blocks in memory.
      if (first === last) return head.slice(start - first * BLOCK, end - first * BLOCK);
      const tail = await this.#block(last);
      const joined = new Uint8Array(end - start);
      joined.set(head.subarray(start - first * BLOCK));
      joined.set(tail.subarray(0, end - last * BLOCK), last * BLOCK - start);
      return joined;
    } catch {
      // The bytes may be readable where the block is not: a bad sector, a file that was truncated meanwhile.
      return await this.#fetch(start, end);
    }
  }

  /** The bytes [start, end) where they lie in one block that is kept: a view of it, to be used at once. */
  peek(start: number, end: number): Uint8Array | null {
    const index = Math.floor(start / BLOCK);
    const block = this.#here.get(index);
    const from = start - index * BLOCK;
    return block === undefined || from + (end - start) > block.length ? null : block.subarray(from, from + end - start);
  }

  #block(index: number): Promise<Uint8Array> {
    let block = this.#blocks.get(index);
    if (block === undefined) {
      block = this.#fetch(index * BLOCK, Math.min((index + 1) * BLOCK, this.#size));
      const coming = block;
      const arrived = (bytes: Uint8Array) => {
        if (this.#blocks.get(index) === coming) this.#here.set(index, bytes);
      };
      block.then(arrived, () => this.#blocks.delete(index));
    } else {
      this.#blocks.delete(index);
    }
    this.#blocks.set(index, block);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= MOST_BLOCKS) break;
      this.#blocks.delete(oldest);
      this.#here.delete(oldest);
    }
    return block;
  }
}
