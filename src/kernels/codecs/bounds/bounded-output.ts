import { InvalidDataError } from "../../../model/errors.js";
import { createSizeError, type OutputSize } from "./byte-codec.js";
import type { DecodedOutput } from "./decoded-output.js";

/** The output of a decompressor. It grows up to its limit. */
export class BoundedOutput implements DecodedOutput {
  readonly #size: OutputSize;
  #bytes: Uint8Array;
  #length = 0;

  constructor(size: OutputSize) {
    this.#size = size;
    this.#bytes = new Uint8Array(size.exact ? size.bytes : Math.min(size.bytes, 1 << 16));
  }

  get length(): number {
    return this.#length;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    if (needed > this.#size.bytes) throw createSizeError("more", this.#size);
    const larger = new Uint8Array(Math.min(this.#size.bytes, Math.max(needed, 2 * this.#bytes.length)));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  push(byte: number): void {
    if (this.#length === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  repeat(distance: number, count: number): void {
    if (distance > this.#length) throw new InvalidDataError(`distance ${distance} at output byte ${this.#length}`);
    this.#reserve(count);
    const bytes = this.#bytes;
    let to = this.#length;
    for (let from = to - distance, end = from + count; from < end; from++) bytes[to++] = bytes[from];
    this.#length = to;
  }

  before(distance: number): number {
    return distance > this.#length ? 0 : this.#bytes[this.#length - distance];
  }

  last(count: number): Uint8Array {
    return this.#bytes.subarray(this.#length - count, this.#length);
  }

  /** Does nothing, since all bytes remain available. */
  lookBack(): void {}

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}
