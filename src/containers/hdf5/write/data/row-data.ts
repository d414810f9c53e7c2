import type { WrittenLayout } from "../messages/dataset-messages.js";
import type { FileSpace } from "../space/file-space.js";

/** The sink that puts the encoded rows of one array (or the columns of a matrix) into the file, from first to last. */
export interface RowData {
  /** Appends whole rows. The caller may reuse the memory once the promise resolves. */
  put(bytes: Uint8Array): Promise<void>;
  /**
   * Ends the data. `then` receives the layout as soon as it is known, possibly after this call resolves.
   * @throws the errors of the target or the encoder.
   */
  end(then: (layout: WrittenLayout) => void): Promise<void>;
}

export interface ContiguousOptions {
  /** The bytes of the whole array. */
  readonly bytes: number;
  /** Number of bytes collected before they are written. */
  readonly blockBytes: number;
  /** Maximum size in bytes of an array that is stored in its object header. */
  readonly compactBytes: number;
}

export class ContiguousData implements RowData {
  readonly #space: FileSpace;
  readonly #options: ContiguousOptions;
  /** The address of the data; null while all bytes so far are in the buffer. */
  #address: number | null = null;
  #written = 0;
  /** The buffer; null until it is needed, because large writes bypass it. */
  #buffer: Uint8Array<ArrayBuffer> | null = null;
  readonly #bufferBytes: number;
  #filled = 0;
  /** The second buffer, and a promise for the completion of its last write. */
  #other: Uint8Array<ArrayBuffer> | null = null;
  #otherFree: Promise<void> = Promise.resolve();

  constructor(space: FileSpace, options: ContiguousOptions) {
    this.#space = space;
    this.#options = options;
    const { bytes, blockBytes } = options;
    this.#bufferBytes = Math.min(bytes, blockBytes);
    // A small array is appended once it is complete.
    if (bytes > blockBytes) this.#address = space.allocate(bytes);
  }

  async put(bytes: Uint8Array): Promise<void> {
    let at = 0;
    while (at < bytes.length) {
      if (this.#filled === 0 && this.#address !== null && bytes.length - at >= this.#bufferBytes) {
        const whole = bytes.length - at - ((bytes.length - at) % this.#bufferBytes);
        await this.#space.store(this.#address + this.#written, bytes.subarray(at, at + whole));
        this.#written += whole;
        at += whole;
        continue;
      }
      this.#buffer ??= new Uint8Array(this.#bufferBytes);
      const length = Math.min(bytes.length - at, this.#bufferBytes - this.#filled);
      this.#buffer.set(bytes.subarray(at, at + length), this.#filled);
      this.#filled += length;
      at += length;
      if (this.#filled === this.#bufferBytes && this.#address !== null) await this.#send(this.#address, this.#buffer);
    }
  }

  async end(then: (layout: WrittenLayout) => void): Promise<void> {
    const { bytes, compactBytes } = this.#options;
    const rest = this.#buffer?.subarray(0, this.#filled) ?? new Uint8Array(0);
    if (this.#address !== null) {
      await this.#space.store(this.#address + this.#written, rest);
      await this.#otherFree;
    } else if (bytes > 0 && bytes <= compactBytes) {
      then({ kind: "compact", bytes: rest });
      return;
    } else if (bytes > 0) {
      this.#address = this.#space.append(rest);
      await this.#space.settle();
    }
    then({ kind: "contiguous", address: this.#address, bytes });
  }

  /** Writes the full buffer, and continues with the other buffer. */
  async #send(address: number, full: Uint8Array<ArrayBuffer>): Promise<void> {
    const free = this.#otherFree;
    this.#otherFree = this.#space.hand(address + this.#written, full);
    // The next wait throws the error.
    this.#otherFree.catch(() => undefined);
    this.#written += full.length;
    this.#filled = 0;
    this.#buffer = this.#other;
    this.#other = full;
    await free;
    await this.#space.settle();
  }
}
