import type { ChunkEncoder, ChunkEncoding } from "../../tree/chunk-encoding.js";

/** Chunks that wait to be used again. */
const MAX_KEPT = 4;

/** Memory of chunks and their encoding. Chunks that are stored as they are stay here, and are used again. */
export class ChunkBuffers {
  readonly #encoder: ChunkEncoder;
  readonly #kept: Uint8Array<ArrayBuffer>[] = [];

  constructor(encoder: ChunkEncoder) {
    this.#encoder = encoder;
  }

  /** So many bytes, of any content. */
  take(bytes: number, encoding: ChunkEncoding): Uint8Array<ArrayBuffer> {
    if (encoding.length > 0) return this.#encoder.memory(bytes);
    const at = this.#kept.findIndex((kept) => kept.length === bytes);
    return at < 0 ? new Uint8Array(bytes) : this.#kept.splice(at, 1)[0];
  }

  /** The bytes to be stored. `chunk` is from `take`, and gone. */
  encode(chunk: Uint8Array<ArrayBuffer>, encoding: ChunkEncoding): Promise<Uint8Array> {
    return encoding.length > 0 ? this.#encoder.encode(chunk, encoding) : Promise.resolve(chunk);
  }

  /** Takes back a chunk that was stored as it was. */
  release(chunk: Uint8Array<ArrayBuffer>): void {
    this.#kept.unshift(chunk);
    this.#kept.length = Math.min(this.#kept.length, MAX_KEPT);
  }
}
