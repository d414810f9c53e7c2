/** Outputs of decoders that refer back to bytes they have written. */

import { InvalidDataError } from "../../../model/errors.js";
import { createSizeError, type OutputSize } from "./byte-codec.js";

export interface DecodedOutput {
  /** The number of bytes since the beginning. */
  readonly length: number;
  push(byte: number): void;
  append(bytes: Uint8Array): void;
  /** Appends `count` bytes, copied from `distance` bytes before the end. They may overlap the bytes being written. */
  repeat(distance: number, count: number): void;
  /** Returns the byte `distance` before the end, or 0 if there is no such byte. */
  before(distance: number): number;
  /** Returns the last `count` bytes, valid until the next write. */
  last(count: number): Uint8Array;
  /** Declares the maximum distance of references to earlier bytes. */
  lookBack(distance: number): void;
}

/** An output that is consumed in parts. Of the consumed bytes it retains those the decoder may refer back to. */
export class WindowOutput implements DecodedOutput {
  #bytes = new Uint8Array(1 << 16);
  /** Number of bytes before `#bytes`; `#end` and `#taken` are the ends of all and of consumed bytes in `#bytes`. */
  #dropped = 0;
  #end = 0;
  #taken = 0;
  #window = 0;

  get length(): number {
    return this.#dropped + this.#end;
  }

  lookBack(distance: number): void {
    this.#window = Math.max(this.#window, distance);
  }

  /** Takes the bytes since the last call, in separate memory. */
  take(): Uint8Array {
    const bytes = this.#bytes.slice(this.#taken, this.#end);
    this.#taken = this.#end;
    return bytes;
  }

  /** Makes room for `count` more bytes by dropping unneeded bytes or doubling the memory. */
  #reserve(count: number): void {
    if (this.#end + count <= this.#bytes.length) return;
    const drop = Math.min(this.#taken, Math.max(0, this.#end - this.#window));
    const kept = this.#bytes.subarray(drop, this.#end);
    const isRoomy = kept.length + count <= this.#bytes.length / 2;
    const to = isRoomy ? this.#bytes : new Uint8Array(Math.max(2 * (kept.length + count), 1 << 16));
    to.set(kept);
    this.#bytes = to;
    this.#dropped += drop;
    this.#end -= drop;
    this.#taken -= drop;
  }

  push(byte: number): void {
    if (this.#end === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.#end++] = byte;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  repeat(distance: number, count: number): void {
    if (distance > this.#end) throw new InvalidDataError(`distance ${distance} at output byte ${this.length}`);
    this.#reserve(count);
    if (distance > this.#end) throw new InvalidDataError(`distance ${distance} beyond the dictionary`);
    const bytes = this.#bytes;
    let to = this.#end;
    for (let from = to - distance, end = from + count; from < end; from++) bytes[to++] = bytes[from];
    this.#end = to;
  }

  before(distance: number): number {
    return distance > this.#end ? 0 : this.#bytes[this.#end - distance];
  }

  last(count: number): Uint8Array {
    return this.#bytes.subarray(this.#end - count, this.#end);
  }
}

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
