/**
 * A queue of chunks that are being encoded, and of the end markers of their arrays. Entries complete in the order in
 * which they were added, and only while a caller adds an entry or waits for one. The contents of the file therefore do
 * not depend on how long each chunk took.
 */

import type { ChunkEncoder, ChunkEncoding } from "../../../tree/container-writer.js";
import type { FileSpace } from "./file-space.js";

/** Receives the address and the length of a stored chunk. */
export type ChunkStored = (address: number, bytes: number) => void;

interface Entry {
  readonly encodes: boolean;
  run(): Promise<void>;
}

export class ChunkQueue {
  readonly #encoder: ChunkEncoder;
  readonly #space: FileSpace;
  readonly #entries: Entry[] = [];
  #encoding = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor(encoder: ChunkEncoder, space: FileSpace) {
    this.#encoder = encoder;
    this.#space = space;
  }

  memory(bytes: number): Uint8Array<ArrayBuffer> {
    return this.#encoder.memory(bytes);
  }

  /**
   * Starts encoding a chunk from `memory`, which is stored when its turn comes. Waits if enough chunks are already in
   * progress.
   */
  async addChunk(chunk: Uint8Array<ArrayBuffer>, encoding: ChunkEncoding, stored: ChunkStored): Promise<void> {
    const encoded = this.#encoder.encode(chunk, encoding);
    // The promise is awaited when its turn comes. Until then, a failure must not count as unhandled.
    encoded.catch(() => undefined);
    this.#encoding++;
    this.#entries.push({
      encodes: true,
      run: async () => {
        const bytes = await encoded;
        const address = this.#space.allocate(bytes.length, 1);
        await this.#space.store(address, bytes);
        stored(address, bytes.length);
      },
    });
    while (this.#encoding > this.#encoder.window) await this.#next();
  }

  /** Runs `action` once all chunks added so far are stored. */
  async addEnd(action: () => Promise<void>): Promise<void> {
    this.#entries.push({ encodes: false, run: action });
    while (this.#entries.length > 0 && !this.#entries[0].encodes) await this.#next();
  }

  async drain(): Promise<void> {
    while (this.#entries.length > 0) await this.#next();
    if (this.#failure !== null) throw this.#failure.error;
  }

  async #next(): Promise<void> {
    if (this.#failure !== null) throw this.#failure.error;
    const entry = this.#entries.shift();
    if (entry === undefined) return;
    if (entry.encodes) this.#encoding--;
    try {
      await entry.run();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}
