/**
 * Blocks of rows around the visible ones. Blocks are read when they become visible, together with one block on each
 * side. Requests for invisible blocks are cancelled, and the least recently used blocks are dropped.
 */

export interface BlockOptions<B> {
  readonly rows: number;
  /** Number of rows per block. */
  readonly size: number;
  /** Number of column groups, which are read separately; 1 if all columns form one group. */
  readonly groups: number;
  /** Maximum number of cached blocks. */
  readonly keep: number;
  /** Maximum number of concurrent requests. */
  readonly atOnce: number;
  read(block: BlockRequest, signal: AbortSignal): Promise<B>;
  /** Called when a block has arrived or failed. */
  changed(): void;
}

export interface BlockRequest {
  readonly start: number;
  readonly end: number;
  readonly group: number;
}

/** Visible rows and column groups, with exclusive ends. */
export interface Sight {
  readonly rows: readonly [number, number];
  readonly groups: readonly [number, number];
}

type Held<B> = { readonly block: B } | { readonly failure: unknown };

export class RowBlocks<B> {
  readonly #options: BlockOptions<B>;
  /** Blocks and errors, the least recently used first. */
  readonly #held = new Map<number, Held<B>>();
  readonly #asked = new Map<number, AbortController>();
  #wanted: readonly number[] = [];
  /** Number of visible blocks, which come first in `#wanted`; neighbouring blocks follow. */
  #inSight = 0;
  #isClosed = false;

  constructor(options: BlockOptions<B>) {
    this.#options = options;
  }

  /** Updates the visible range. */
  see(sight: Sight): void {
    if (this.#isClosed) return;
    this.#wanted = this.#keysIn(sight);
    const wanted = new Set(this.#wanted);
    for (const [key, asking] of this.#asked) {
      if (wanted.has(key)) continue;
      asking.abort();
      this.#asked.delete(key);
    }
    this.#ask();
  }

  /** Returns the block with a row, and the row's offset in it; null if it has not arrived. */
  at(row: number, group: number): { readonly block: B; readonly offset: number } | null {
    const index = Math.floor(row / this.#options.size);
    const key = this.#key(index, group);
    const held = this.#held.get(key);
    if (held === undefined || !("block" in held)) return null;
    this.#held.delete(key);
    this.#held.set(key, held);
    return { block: held.block, offset: row - index * this.#options.size };
  }

  /** Returns the error of a visible block, if any. */
  failure(): unknown {
    for (const key of this.#wanted) {
      const held = this.#held.get(key);
      if (held !== undefined && "failure" in held) return held.failure;
    }
    return null;
  }

  retry(): void {
    for (const [key, held] of this.#held) if ("failure" in held) this.#held.delete(key);
    this.#ask();
  }

  get count(): number {
    return this.#held.size;
  }

  close(): void {
    this.#isClosed = true;
    for (const asking of this.#asked.values()) asking.abort();
    this.#asked.clear();
    this.#held.clear();
  }

  #key(block: number, group: number): number {
    return block * this.#options.groups + group;
  }

  /** Returns the keys of blocks: visible blocks first, then their neighbours. */
  #keysIn({ rows: [start, end], groups: [firstGroup, endGroup] }: Sight): readonly number[] {
    const { size, rows, groups } = this.#options;
    const blocks = Math.ceil(rows / size);
    const first = Math.floor(start / size);
    const last = Math.min(Math.floor(Math.max(end - 1, start) / size), blocks - 1);
    const order = Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => first + index);
    this.#inSight = order.length * (Math.min(endGroup, groups) - firstGroup);
    const besides = [last + 1, first - 1].filter((block) => block >= 0 && block < blocks);
    return [...order, ...besides].flatMap((block) =>
      Array.from({ length: Math.min(endGroup, groups) - firstGroup }, (_, index) =>
        this.#key(block, firstGroup + index),
      ),
    );
  }

  #ask(): void {
    const { atOnce, size, rows, groups } = this.#options;
    // Requests for visible blocks must not compete with requests for prefetched blocks.
    const isSeen = this.#wanted.slice(0, this.#inSight).every((key) => this.#held.has(key));
    for (const key of isSeen ? this.#wanted : this.#wanted.slice(0, this.#inSight)) {
      if (this.#asked.size >= atOnce) return;
      if (this.#held.has(key) || this.#asked.has(key)) continue;
      const asking = new AbortController();
      this.#asked.set(key, asking);
      const start = Math.floor(key / groups) * size;
      const request = { start, end: Math.min(start + size, rows), group: key % groups };
      this.#options.read(request, asking.signal).then(
        (block) => this.#arrived(key, asking, { block }),
        (failure: unknown) => this.#arrived(key, asking, { failure }),
      );
    }
  }

  #arrived(key: number, asking: AbortController, held: Held<B>): void {
    if (asking.signal.aborted) return;
    this.#asked.delete(key);
    this.#held.set(key, held);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= this.#options.keep) break;
      if (!this.#wanted.includes(oldest)) this.#held.delete(oldest);
    }
    this.#ask();
    this.#options.changed();
  }
}
