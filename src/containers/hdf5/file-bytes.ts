/** The bytes of an HDF5 file by address: positions relative to the signature, sizes from the superblock. */

import { InvalidDataError } from "../../errors.js";
import type { ByteSource, ReadOptions } from "../../sources/source.js";
import { Cursor, type FieldSizes } from "./cursor.js";

const SIGNATURE_BYTES = 8;

export class FileBytes {
  readonly sizes: FieldSizes;
  readonly #source: ByteSource;
  readonly #base: number;

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
      throw new InvalidDataError(
        `${length} bytes at address ${address} lie beyond the end of the file, which has ${this.size} bytes`,
      );
    }
    return await this.#source.read(this.#base + address, this.#base + address + length, options);
  }

  /** As `read`, but shorter where the file ends earlier. */
  async readUpTo(address: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    return await this.read(address, Math.max(0, Math.min(length, this.size - address)), options);
  }
}

/**
 * Reads what the superblock says of field sizes.
 * @param base where the signature was found.
 * @throws {InvalidDataError} where the superblock is cut off or its sizes are none.
 */
export async function openFileBytes(source: ByteSource, base: number, options?: ReadOptions): Promise<FileBytes> {
  const start = base + SIGNATURE_BYTES;
  const bytes = await source.read(start, Math.min(start + 16, source.size), options);
  const cursor = new Cursor(bytes, "superblock");
  const version = cursor.u8();
  if (version > 3) throw new InvalidDataError(`superblock has version ${version}; 0 to 3 exist`);
  if (version < 2) cursor.skip(4);
  const sizes = { offsets: cursor.u8(), lengths: cursor.u8() };
  for (const [what, size] of Object.entries(sizes)) {
    if (size !== 2 && size !== 4 && size !== 8) {
      throw new InvalidDataError(`superblock says that ${what} take ${size} bytes; only 2, 4 and 8 are legal`);
    }
  }
  return new FileBytes(source, base, sizes);
}
