/** Reads the next bytes of a stream through a buffer, and limits the memory that vectors take. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { type ByteStream, joinByteParts } from "./byte-stream.js";

const EMPTY = new Uint8Array(0);

export class BufferedStream {
  readonly #stream: ByteStream;
  readonly #limit: number;
  #buffer: Uint8Array = EMPTY;
  #view: DataView = new DataView(EMPTY.buffer);
  #at = 0;
  #isEnded = false;
  #expected = 0;

  /** @param limit maximum number of bytes for all vectors together. */
  constructor(stream: ByteStream, limit = Number.POSITIVE_INFINITY) {
    this.#stream = stream;
    this.#limit = limit;
  }

  /** Number of buffered bytes. */
  get atHand(): number {
    return this.#buffer.length - this.#at;
  }

  /** True if, as far as is known, no bytes follow the buffered ones. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  int(isLittleEndian: boolean): number {
    const value = this.#view.getInt32(this.#at, isLittleEndian);
    this.#at += 4;
    return value;
  }

  /** Takes buffered bytes. They are valid until more bytes are requested. */
  take(length: number): Uint8Array {
    const start = this.#at;
    this.#at += length;
    return this.#buffer.subarray(start, this.#at);
  }

  /** Takes one byte; undefined if no byte is buffered. */
  byte(): number | undefined {
    return this.#at < this.#buffer.length ? this.#buffer[this.#at++] : undefined;
  }

  /** Returns the next byte without taking it; undefined if no byte is buffered. */
  peek(): number | undefined {
    return this.#buffer[this.#at];
  }

  /** Returns the maximum number of bytes that can still follow, including the buffered bytes. */
  room(): number {
    return this.atHand + this.#stream.room();
  }

  /** Counts the memory of a vector. @throws {UnsupportedError} if all vectors together exceed the limit. */
  count(bytes: number): void {
    this.#expected += bytes;
    if (this.#expected > this.#limit) {
      throw new UnsupportedError(
        `vectors of ${this.#expected} bytes and more, ${this.#limit} are allowed (maxVectorBytes)`,
      );
    }
  }

  /** Buffers at least `count` bytes. @throws {InvalidDataError} if the stream ends earlier. */
  async gather(count: number): Promise<void> {
    await this.gatherSome(count);
    if (this.atHand < count) throw endsEarly(this.atHand, count);
  }

  /** Buffers `count` bytes, or all remaining bytes if these are fewer. */
  async gatherSome(count: number): Promise<void> {
    const parts = [this.#buffer.subarray(this.#at)];
    let length = parts[0].length;
    while (length < count) {
      const part = await this.#pull();
      if (part === null) break;
      parts.push(part);
      length += part.length;
    }
    this.#use(
      joinByteParts(
        parts.filter((part) => part.length > 0),
        length,
      ),
    );
  }

  /** Fills `target` with the next bytes. @throws {InvalidDataError} if the stream ends before it is full. */
  async fill(target: Uint8Array): Promise<void> {
    let filled = Math.min(this.atHand, target.length);
    target.set(this.take(filled));
    if (filled < target.length && this.#stream.fill !== undefined) {
      filled += await this.#stream.fill(target.subarray(filled));
      if (filled < target.length) throw endsEarly(filled, target.length);
      return;
    }
    while (filled < target.length) {
      const part = await this.#pull();
      if (part === null) throw endsEarly(filled, target.length);
      const used = Math.min(part.length, target.length - filled);
      target.set(part.subarray(0, used), filled);
      filled += used;
      if (used < part.length) this.#use(part.subarray(used));
    }
  }

  async #pull(): Promise<Uint8Array | null> {
    const part = await this.#stream.pull();
    if (part === null) this.#isEnded = true;
    return part;
  }

  #use(buffer: Uint8Array): void {
    this.#buffer = buffer;
    this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    this.#at = 0;
  }
}

function endsEarly(found: number, wanted: number): InvalidDataError {
  return new InvalidDataError(`truncated R object: ${wanted} more bytes are needed, ${found} are there`);
}
