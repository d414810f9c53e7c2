import { InvalidDataError } from "../../../model/errors.js";
import { createSizeError, type OutputSize } from "./byte-codec.js";

/** The output of a decoder that refers back to bytes it has written. */
export class DecodedOutput {
  readonly #size: OutputSize | null;
  #bytes: Uint8Array;
  /** Number of bytes dropped before `#bytes`, which is filled up to `#end` and consumed up to `#taken`. */
  #dropped = 0;
  #end = 0;
  #taken = 0;
  #window = 0;

  /**
   * @param size the limit of the output, which `finish` returns as a whole. If null, `take` consumes the output in
   * parts, and consumed bytes are retained only if the decoder may refer back to them.
   */
  constructor(size: OutputSize | null) {
    this.#size = size;
    this.#bytes = new Uint8Array(size === null ? 1 << 16 : size.exact ? size.bytes : Math.min(size.bytes, 1 << 16));
  }

  /** The number of bytes since the beginning. */
  get length(): number {
    return this.#dropped + this.#end;
  }

  /** Declares the maximum distance of references to earlier bytes. */
  lookBack(distance: number): void {
    this.#window = Math.max(this.#window, distance);
  }

  /** Takes the bytes since the last call, in separate memory. */
  take(): Uint8Array {
    const bytes = this.#bytes.slice(this.#taken, this.#end);
    this.#taken = this.#end;
    return bytes;
  }

  /** Returns all bytes. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Makes room for `count` more bytes by dropping unneeded bytes or doubling the memory. */
  #reserve(count: number): void {
    const needed = this.#end + count;
    if (needed <= this.#bytes.length) return;
    const limit = this.#size;
    if (limit !== null && needed > limit.bytes) throw createSizeError("more", limit);
    const drop = limit === null ? Math.min(this.#taken, Math.max(0, this.#end - this.#window)) : 0;
    const kept = this.#bytes.subarray(drop, this.#end);
    const room = kept.length + count;
    let to = this.#bytes;
    if (limit !== null) to = new Uint8Array(Math.min(limit.bytes, Math.max(room, 2 * to.length)));
    else if (room > to.length / 2) to = new Uint8Array(Math.max(2 * room, 1 << 16));
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

  /**
   * Appends `count` bytes, copied from `distance` bytes before the end. The source may overlap the bytes being written.
   */
  repeat(distance: number, count: number): void {
    if (distance > this.#end) throw new InvalidDataError(`distance ${distance} at output byte ${this.length}`);
    this.#reserve(count);
    if (distance > this.#end) throw new InvalidDataError(`distance ${distance} beyond the dictionary`);
    const bytes = this.#bytes;
    let to = this.#end;
    for (let from = to - distance, end = from + count; from < end; from++) bytes[to++] = bytes[from];
    this.#end = to;
  }

  /** Returns the byte `distance` before the end, or 0 if there is no such byte. */
  before(distance: number): number {
    return distance > this.#end ? 0 : this.#bytes[this.#end - distance];
  }

  /** Returns the last `count` bytes, valid until the next write. */
  last(count: number): Uint8Array {
    return this.#bytes.subarray(this.#end - count, this.#end);
  }
}
