/** The bytes of an HDF5 file by address: positions relative to the signature, sizes from the superblock. */

import { InvalidDataError } from "../../../model/errors.js";
import type { ByteSource, Pieces, ReadOptions, SourcePlan } from "../../../sources/source.js";
import type { AttributeValue } from "../../tree/container.js";
import type { FieldSizes } from "../bytes/cursor.js";
import { Repeated } from "../bytes/repeated.js";
import type { Datatype } from "../types/datatype.js";

/** Bytes fetched at once on the way to the caller's memory. */
const PIECE = 1 << 22;

export class Hdf5File {
  readonly sizes: FieldSizes;
  /** Messages that were read before: what they say. */
  readonly datatypes = new Repeated<Datatype>();
  readonly attributes = new Repeated<{ readonly name: string; readonly value: AttributeValue }>();
  readonly #source: ByteSource;
  readonly #base: number;

  /** @param base where the signature was found. */
  constructor(source: ByteSource, base: number, sizes: FieldSizes) {
    this.#source = source;
    this.#base = base;
    this.sizes = sizes;
  }

  /** How a worker finds the same bytes; null where it cannot. */
  get plan(): { readonly source: SourcePlan; readonly base: number } | null {
    const { plan } = this.#source;
    return plan === undefined ? null : { source: plan, base: this.#base };
  }

  /** Bytes from the signature to the end of the file. */
  get size(): number {
    return this.#source.size - this.#base;
  }

  /** Whether bytes are copied out of the source anyway, and so can go to memory that is used again. */
  get copies(): boolean {
    return this.#source.readInto !== undefined;
  }

  /** The bytes from `address` on, as many as `target` has. @throws {InvalidDataError} where the file has fewer. */
  async readInto(address: number, target: Uint8Array, options?: ReadOptions): Promise<void> {
    this.#check(address, target.length);
    const start = this.#base + address;
    if (this.#source.readInto !== undefined) return await this.#source.readInto(start, target, options);
    for (let done = 0; done < target.length; done += PIECE) {
      const part = target.subarray(done, done + PIECE);
      part.set(await this.#source.read(start + done, start + done + part.length, options));
    }
  }

  /** As `readInto`, for pieces of which the first lies at the address `start`. */
  async readPieces(pieces: Pieces, target: Uint8Array, options?: ReadOptions): Promise<void> {
    const { start, length, count, step, targetStep } = pieces;
    if (count === 0) return;
    this.#check(start, (count - 1) * step + length);
    if (this.#source.readPieces !== undefined) {
      return await this.#source.readPieces({ ...pieces, start: this.#base + start }, target, options);
    }
    for (let i = 0; i < count; i++) {
      const at = i * targetStep;
      await this.readInto(start + i * step, target.subarray(at, at + length), options);
    }
  }

  /** The `length` bytes at `address`. @throws {InvalidDataError} where they lie beyond the end of the file. */
  async read(address: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    this.#check(address, length);
    return await this.#source.read(this.#base + address, this.#base + address + length, options);
  }

  /** The bytes where they are at hand without reading, to be used at once; else null. */
  peek(address: number, length: number): Uint8Array | null {
    if (address + length > this.size) return null;
    return this.#source.peek?.(this.#base + address, this.#base + address + length) ?? null;
  }

  #check(address: number, length: number): void {
    if (address + length <= this.size) return;
    const what = address >= this.size ? `address ${address} lies` : `${length} bytes at address ${address} lie`;
    throw new InvalidDataError(`${what} beyond the end of the file, which has ${this.size} bytes`);
  }

  /** As `read`, but shorter where the file ends earlier. */
  async readUpTo(address: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    return await this.read(address, Math.max(1, Math.min(length, this.size - address)), options);
  }
}
