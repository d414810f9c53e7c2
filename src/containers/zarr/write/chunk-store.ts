import { crc32c } from "../../../kernels/checksums/checksums.js";
import { countElements } from "../../../model/stored.js";
import { computeChunkPosition } from "../../tree/stored-chunks.js";
import { getChunkKey, joinPath, type KeyEncoding } from "../metadata/metadata.js";
import type { ChunkCompression } from "./compression.js";
import { runInStore, type Store } from "./store.js";

/** The key encoding of written chunks, by version. */
export const KEYS: Readonly<Record<2 | 3, KeyEncoding>> = {
  2: { name: "v2", separator: "." },
  3: { name: "default", separator: "/" },
};

/** Stores the chunks of one array: each chunk under its own key, or several in a shard. */
export interface ChunkStore {
  /** Stores the chunks of the next band. A null chunk is omitted. */
  add(chunks: readonly (Uint8Array<ArrayBuffer> | null)[]): Promise<void>;
  end(): Promise<void>;
}

/** Encodes a chunk, and passes the bytes to `use` when it is the chunk's turn. */
async function encode(
  store: Store,
  path: string,
  { encoding }: ChunkCompression,
  chunk: Uint8Array<ArrayBuffer>,
  use: (bytes: Uint8Array) => Promise<void> | void,
): Promise<void> {
  await store.queue.add(
    () => runInStore(store, path, () => store.memory.encode(chunk, encoding)),
    (bytes) =>
      runInStore(store, path, async () => {
        await use(bytes);
        if (encoding.length === 0) store.memory.release(chunk);
      }),
  );
}

/**
 * Stores chunks under their own keys.
 * @param grid the number of chunks along each dimension except the first; null for a scalar's only chunk.
 */
export class SingleChunks implements ChunkStore {
  readonly #store: Store;
  readonly #path: string;
  readonly #grid: readonly number[] | null;
  readonly #compression: ChunkCompression;
  #band = 0;

  constructor(store: Store, path: string, grid: readonly number[] | null, compression: ChunkCompression) {
    this.#store = store;
    this.#path = path;
    this.#grid = grid;
    this.#compression = compression;
  }

  async add(chunks: readonly (Uint8Array<ArrayBuffer> | null)[]): Promise<void> {
    const { target, dialect } = this.#store;
    for (const [i, chunk] of chunks.entries()) {
      if (chunk === null) continue;
      const position = this.#grid === null ? [] : [this.#band, ...computeChunkPosition(i, this.#grid)];
      const key = joinPath(this.#path, getChunkKey(KEYS[dialect.version], position));
      await encode(this.#store, this.#path, this.#compression, chunk, (bytes) => target.set(key, bytes));
    }
    this.#band++;
  }

  end(): Promise<void> {
    return Promise.resolve();
  }
}

export interface ShardLayout {
  readonly bands: number;
  readonly bandBytes: number;
  /** Whether the number of bands is unknown. If so, an array that ends within its first shard gets a smaller shard. */
  readonly isOpen: boolean;
}

export class ShardedChunks implements ChunkStore {
  readonly #store: Store;
  readonly #path: string;
  readonly #rank: number;
  readonly #gridSize: number;
  readonly #compression: ChunkCompression;
  readonly #isOpen: boolean;
  readonly #shard: Shard;
  #shardBands: number;
  #index = 0;
  #bands = 0;

  constructor(store: Store, path: string, grid: readonly number[], compression: ChunkCompression, layout: ShardLayout) {
    this.#store = store;
    this.#path = path;
    this.#rank = 1 + grid.length;
    this.#gridSize = countElements(grid);
    this.#compression = compression;
    this.#shardBands = layout.bands;
    this.#isOpen = layout.isOpen;
    // The size of uncompressed chunks is known, so the shard never needs to grow.
    const isPlain = compression.encoding.length === 0;
    this.#shard = new Shard(isPlain ? layout.bands * (layout.bandBytes + 16 * this.#gridSize) + 4 : 0);
  }

  /** The number of bands in a shard, which is final once the array has ended. */
  get shardBands(): number {
    return this.#shardBands;
  }

  async add(chunks: readonly (Uint8Array<ArrayBuffer> | null)[]): Promise<void> {
    const first = this.#bands * this.#gridSize;
    for (const [i, chunk] of chunks.entries()) {
      if (chunk === null) continue;
      await encode(this.#store, this.#path, this.#compression, chunk, (bytes) => this.#shard.add(first + i, bytes));
    }
    this.#bands++;
    if (this.#bands === this.#shardBands) await this.#endShard();
  }

  async end(): Promise<void> {
    if (this.#isOpen && this.#index === 0) this.#shardBands = Math.max(1, this.#bands);
    if (this.#bands > 0) await this.#endShard();
  }

  async #endShard(): Promise<void> {
    // A shard spans all columns, so it is the only one for its rows.
    const position = [this.#index, ...new Array<number>(this.#rank - 1).fill(0)];
    const key = joinPath(this.#path, getChunkKey(KEYS[3], position));
    const slots = this.#shardBands * this.#gridSize;
    this.#index++;
    this.#bands = 0;
    await this.#store.queue.add(
      () => Promise.resolve(),
      () =>
        runInStore(this.#store, this.#path, async () => {
          if (!this.#shard.isEmpty) await this.#store.target.set(key, this.#shard.finish(slots));
        }),
    );
  }
}

/** The index's entry for a missing chunk. */
const MISSING = 2n ** 64n - 1n;

/** A shard under construction: consecutive encoded chunks, followed by their index and its crc32c. */
class Shard {
  #bytes = new Uint8Array(0);
  #end = 0;
  readonly #chunks = new Map<number, readonly [start: number, length: number]>();
  readonly #expected: number;

  /** @param expected the size of a complete shard in bytes; 0 if it is not known. */
  constructor(expected: number) {
    this.#expected = expected;
  }

  get isEmpty(): boolean {
    return this.#chunks.size === 0;
  }

  /** @param slot the chunk's index among all chunks of the shard, in C order. */
  add(slot: number, chunk: Uint8Array): void {
    this.#reserve(chunk.length);
    this.#bytes.set(chunk, this.#end);
    this.#chunks.set(slot, [this.#end, chunk.length]);
    this.#end += chunk.length;
  }

  /** Returns the shard with `slots` slots, and empties this object. The next shard reuses the returned memory. */
  finish(slots: number): Uint8Array {
    this.#reserve(16 * slots + 4);
    const at = this.#end;
    const view = new DataView(this.#bytes.buffer);
    for (let slot = 0; slot < slots; slot++) {
      const chunk = this.#chunks.get(slot);
      view.setBigUint64(at + 16 * slot, chunk === undefined ? MISSING : BigInt(chunk[0]), true);
      view.setBigUint64(at + 16 * slot + 8, chunk === undefined ? MISSING : BigInt(chunk[1]), true);
    }
    const end = at + 16 * slots;
    view.setUint32(end, crc32c(this.#bytes.subarray(at, end)), true);
    this.#end = 0;
    this.#chunks.clear();
    return this.#bytes.subarray(0, end + 4);
  }

  #reserve(more: number): void {
    const needed = this.#end + more;
    if (needed <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(needed, this.#expected, Math.ceil(1.5 * this.#end)));
    bytes.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = bytes;
  }
}
