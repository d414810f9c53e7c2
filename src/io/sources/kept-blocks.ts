/** Caches blocks around small reads from a file, because metadata are stored close together. */

/** Bytes of one block. */
const BLOCK = 1 << 16;

/** Maximum number of cached blocks per file. The most recently used blocks are kept. */
const MAX_BLOCKS = 16;

/**
 * Maximum number of cached blocks in all files together. A union keeps many files open, and reads them one after
 * another.
 */
const MAX_OF_ALL = 64;

/** Maximum size in bytes of a read that uses blocks. */
const SMALL = 1 << 13;

/** Files with cached blocks, most recently used last. */
const files = new Set<BlockCache>();

/** A cache for the blocks of a file. Each block is fetched only once. */
export class BlockCache {
  readonly #size: number;
  readonly #fetch: (start: number, end: number) => Promise<Uint8Array>;
  /** Cached blocks, most recently used last. */
  readonly #blocks = new Map<number, Promise<Uint8Array>>();
  /** Blocks that were received. */
  readonly #here = new Map<number, Uint8Array>();

  /**
   * @param size the file size.
   * @param fetch fetches exactly the bytes [start, end).
   */
  constructor(size: number, fetch: (start: number, end: number) => Promise<Uint8Array>) {
    this.#size = size;
    this.#fetch = fetch;
  }

  /** Reads the bytes [start, end), which must be within the file, into new memory. */
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
      // The requested bytes may be readable even if the whole block is not, for example after a bad sector or a
      // truncation.
      return await this.#fetch(start, end);
    }
  }

  clear(): void {
    this.#blocks.clear();
    this.#here.clear();
    files.delete(this);
  }

  /**
   * Returns a view of the bytes [start, end) if one cached block contains all of them; else null. The view must be used
   * immediately.
   */
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
      if (this.#blocks.size <= MAX_BLOCKS) break;
      this.#blocks.delete(oldest);
      this.#here.delete(oldest);
    }
    files.delete(this);
    files.add(this);
    this.#clearOthers();
    return block;
  }

  /** Clears the blocks of the least recently used files. */
  #clearOthers(): void {
    let count = 0;
    for (const file of files) count += file.#blocks.size;
    for (const oldest of files) {
      if (count <= MAX_OF_ALL || oldest === this) break;
      count -= oldest.#blocks.size;
      oldest.clear();
    }
  }
}
