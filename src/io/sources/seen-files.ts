/** The files in a folder that several threads have read, with the version that each thread found. */

/** Size in bytes, enough for the paths and versions of about two thousand files. */
const BYTES = 2 ** 18;

/** Size in bytes of the length before each entry. */
const LENGTH_BYTES = 4;

/**
 * A log of the files that were read, in shared memory to which all threads append. Workers open the main thread's
 * folder themselves, and the main thread must check the files that they have read. Files whose entries do not fit are
 * not checked.
 */
export class SeenFiles {
  readonly memory: SharedArrayBuffer;
  /** The end of the last entry, and the length of each entry, which is 0 until the entry's text has been written. */
  readonly #lengths: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(memory = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#lengths = new Int32Array(memory);
    this.#bytes = new Uint8Array(memory);
  }

  append(path: string, version: string): void {
    const text = new TextEncoder().encode(JSON.stringify([path, version]));
    const size = LENGTH_BYTES * Math.ceil((LENGTH_BYTES + text.length) / LENGTH_BYTES);
    const start = LENGTH_BYTES + Atomics.add(this.#lengths, 0, size);
    if (start + size > this.#bytes.length) {
      Atomics.sub(this.#lengths, 0, size);
      return;
    }
    this.#bytes.set(text, start + LENGTH_BYTES);
    Atomics.store(this.#lengths, start / LENGTH_BYTES, text.length);
  }

  /** Yields all entries. A path is repeated for each thread that has read the file. */
  *entries(): Generator<readonly [path: string, version: string]> {
    const decoder = new TextDecoder();
    for (let at = LENGTH_BYTES; at < this.#bytes.length; ) {
      const length = Atomics.load(this.#lengths, at / LENGTH_BYTES);
      if (length === 0) return;
      const start = at + LENGTH_BYTES;
      // Some platforms do not allow TextDecoder on shared memory, so the bytes are copied.
      const [path, version]: string[] = JSON.parse(decoder.decode(this.#bytes.slice(start, start + length)));
      yield [path, version];
      at = LENGTH_BYTES * Math.ceil((start + length) / LENGTH_BYTES);
    }
  }
}
