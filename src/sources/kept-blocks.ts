/** Caches blocks around small reads of a file, since pieces of metadata lie close together. */

/** Bytes of one block. */
const BLOCK = 1 << 16;

/** Number of cached blocks: the ones that were used last. */
const MOST_BLOCKS = 16;

/** Most blocks of all files: a union of many files has many of them open, and reads one after the other. */
const MOST_OF_ALL = 64;

/** Largest read that is served from blocks. */
const SMALL = 1 << 13;

/** The files that have blocks, in the order of use, the last used one last. */
const files = new Set<KeptBlocks>();

/** Whole blocks of a file, each fetched once. */
export class KeptBlocks {
  readonly #size: number;
  readonly #fetch: (start: number, end: number) => Promise<Uint8Array>;
  /** Blocks in the order of use, the last used one last. */
  readonly #blocks = new Map<number, Promise<Uint8Array>>();
  /** Blocks whose bytes have arrived. */
  readonly #here = new Map<number, Uint8Array>();

  /**
   * @param size size of the file.
   * @param fetch fetches exactly the bytes [start, end).
   */
  constructor(size: number, fetch: (start: number, end: number) => Promise<Uint8Array>) {
    this.#size = size;
    this.#fetch = fetch;
  }

  /** Reads the bytes [start, end), which lie in the file, into new memory. */
  async read(start: number, end: number): Promise<Uint8Array> {
    if (end - start > SMALL || start === end) return await this.#fetch(start, end);
    const first = Math.floor(start / BLOCK);
    const last = Math.floor((end - 1) / BLOCK);
    try {
      const head = await this.#block(first);
      // The bytes are copied, because views would keep whole blocks in memory.
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

  /** Forgets all blocks. */
  clear(): void {
    this.#blocks.clear();
    this.#here.clear();
    files.delete(this);
  }

  /** The bytes [start, end) if they lie in one cached block: a view of it, to be used at once. Else null. */
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
    files.delete(this);
    files.add(this);
    this.#clearOthers();
    return block;
  }

  /** Clears the blocks of the files that were not used for the longest time. */
  #clearOthers(): void {
    let count = 0;
    for (const file of files) count += file.#blocks.size;
    for (const oldest of files) {
      if (count <= MOST_OF_ALL || oldest === this) break;
      count -= oldest.#blocks.size;
      oldest.clear();
    }
  }
}
