/** The bytes of an HDF5 file by address: positions relative to the signature, sizes from the superblock. */

import { InvalidDataError } from "../../errors.js";
import type { ByteSource, ReadOptions } from "../../sources/source.js";
import type { FieldSizes } from "./cursor.js";

export class FileBytes {
  readonly sizes: FieldSizes;
  readonly #source: ByteSource;
  readonly #base: number;

  /** @param base where the signature was found. */
  constructor(source: ByteSource, base: number, sizes: FieldSizes) {
    this.#source = source;
    this.#base = base;
    this.sizes = sizes;
  }

  /** Bytes from the signature to the end of the file. */
  get size(): number {
    return this.#source.size - this.#base;
  }

  /** The `length` bytes at `address`. @throws {InvalidDataError} where they lie beyond the end of the file. */
  async read(address: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    if (address + length > this.size) {
      if (address >= this.size) {
        throw new InvalidDataError(`address ${address} lies beyond the end of the file, which has ${this.size} bytes`);
      }
      throw new InvalidDataError(
        `${length} bytes at address ${address} lie beyond the end of the file, which has ${this.size} bytes`,
      );
    }
    return await this.#source.read(this.#base + address, this.#base + address + length, options);
  }

  /** As `read`, but shorter where the file ends earlier. */
  async readUpTo(address: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    return await this.read(address, Math.max(1, Math.min(length, this.size - address)), options);
  }
}
