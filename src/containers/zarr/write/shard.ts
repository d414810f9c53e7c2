import { crc32c } from "../../../kernels/checksums/checksums.js";

/** What the index says of a chunk that is not there. */
const MISSING = 2n ** 64n - 1n;

/** A shard while it is made: encoded chunks one after another, then the index of them all and its crc32c. */
export class Shard {
  #bytes = new Uint8Array(0);
  #end = 0;
  /** Where the chunk of a slot begins and how long it is. */
  readonly #chunks = new Map<number, readonly [start: number, length: number]>();
  readonly #expected: number;

  /** @param expected Bytes of a whole shard where they are known, else 0. */
  constructor(expected: number) {
    this.#expected = expected;
  }

  get isEmpty(): boolean {
    return this.#chunks.size === 0;
  }

  /** @param slot The chunk's place among all of the shard, in C order. */
  add(slot: number, chunk: Uint8Array): void {
    this.#reserve(chunk.length);
    this.#bytes.set(chunk, this.#end);
    this.#chunks.set(slot, [this.#end, chunk.length]);
    this.#end += chunk.length;
  }

  /** The shard of so many slots, in memory that the next one is made in; this one is then empty. */
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
