/** The files of a folder that several threads have read, with the version that each thread found. */

/** Paths and versions of about two thousand files. */
const BYTES = 2 ** 18;

/** Bytes of the length in front of an entry. */
const LENGTH_BYTES = 4;

/**
 * Entries that all threads append to memory which they share: workers open the folder of the main thread again, and the
 * main thread must look at the files that they have read. What does not fit is not looked at.
 */
export class SeenFiles {
  readonly memory: SharedArrayBuffer;
  /** The end of the last entry, and the length of each one, which is 0 until its text is there. */
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

  /** All entries: a path stands there again for each thread that has read the file. */
  *entries(): Generator<readonly [path: string, version: string]> {
    const decoder = new TextDecoder();
    for (let at = LENGTH_BYTES; at < this.#bytes.length; ) {
      const length = Atomics.load(this.#lengths, at / LENGTH_BYTES);
      if (length === 0) return;
      const start = at + LENGTH_BYTES;
      // A decoder does not take shared memory everywhere.
      const [path, version]: string[] = JSON.parse(decoder.decode(this.#bytes.slice(start, start + length)));
      yield [path, version];
      at = LENGTH_BYTES * Math.ceil((start + length) / LENGTH_BYTES);
    }
  }
}
