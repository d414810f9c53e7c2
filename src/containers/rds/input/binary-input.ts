import { swapBytes } from "../../../kernels/values/byte-order.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { ByteStream } from "./byte-stream.js";
import type { ItemInput, Reading, Want } from "./item-input.js";
import { joined } from "./joined.js";

const EMPTY = new Uint8Array(0);

/** XDR, which is big-endian, or the same with words in the order of a little-endian machine. */
export class BinaryInput implements ItemInput {
  readonly #stream: ByteStream;
  #littleEndian = false;
  #buffer: Uint8Array = EMPTY;
  #view: DataView = new DataView(EMPTY.buffer);
  #at = 0;
  readonly #limit: number;
  #expected = 0;

  /** @param limit of the bytes that all vectors may take. */
  constructor(stream: ByteStream, limit = Number.POSITIVE_INFINITY) {
    this.#stream = stream;
    this.#limit = limit;
  }

  /** What follows is in the order of a little-endian machine. */
  setLittleEndian(): void {
    this.#littleEndian = true;
  }

  /** All that is at hand. */
  rest(): Uint8Array {
    return this.chars(this.#atHand);
  }

  get #atHand(): number {
    return this.#buffer.length - this.#at;
  }

  has(count: number): boolean {
    return this.#atHand >= count;
  }

  int(): number {
    const value = this.#view.getInt32(this.#at, this.#littleEndian);
    this.#at += 4;
    return value;
  }

  chars(length: number): Uint8Array {
    const start = this.#at;
    this.#at += length;
    return this.#buffer.subarray(start, this.#at);
  }

  *ints(count: number): Reading<Int32Array<ArrayBuffer>> {
    const values = new Int32Array(count);
    yield* this.#words(new Uint8Array(values.buffer), 4);
    return values;
  }

  *reals(count: number): Reading<Float64Array<ArrayBuffer>> {
    const values = new Float64Array(count);
    yield* this.#words(new Uint8Array(values.buffer), 8);
    return values;
  }

  *raws(count: number): Reading<Uint8Array<ArrayBuffer>> {
    const values = new Uint8Array(count);
    yield* this.#words(values, 1);
    return values;
  }

  *#words(bytes: Uint8Array, size: number): Reading<void> {
    if (this.has(bytes.length)) bytes.set(this.chars(bytes.length));
    else yield bytes;
    if (!this.#littleEndian) swapBytes(bytes, size);
  }

  expect(count: number, bytes: number, what: string): void {
    const room = this.#atHand + this.#stream.room();
    if (count * bytes > room) {
      throw new InvalidDataError(`${what} of ${count} needs ${count * bytes} bytes, at most ${room} are left`);
    }
    this.#expected += count * bytes;
    if (this.#expected > this.#limit) {
      throw new UnsupportedError(
        `vectors of ${this.#expected} bytes and more, ${this.#limit} are allowed (maxVectorBytes)`,
      );
    }
  }

  /**
   * Gives what is wanted.
   * @throws {InvalidDataError} where the stream ends before.
   */
  async supply(want: Want): Promise<void> {
    if (typeof want === "number") await this.#gather(want);
    else await this.#fill(want);
  }

  async #gather(count: number): Promise<void> {
    const parts = [this.#buffer.subarray(this.#at)];
    let length = parts[0].length;
    while (length < count) {
      const part = await this.#pull(length, count);
      parts.push(part);
      length += part.length;
    }
    this.#use(
      joined(
        parts.filter((part) => part.length > 0),
        length,
      ),
    );
  }

  async #fill(target: Uint8Array): Promise<void> {
    let filled = Math.min(this.#atHand, target.length);
    target.set(this.chars(filled));
    if (filled < target.length && this.#stream.fill !== undefined) {
      // A stream that can do this knows exactly how many bytes there are.
      if (target.length - filled > this.#stream.room()) throw endsEarly(filled + this.#stream.room(), target.length);
      return this.#stream.fill(target.subarray(filled));
    }
    while (filled < target.length) {
      const part = await this.#pull(filled, target.length);
      const used = Math.min(part.length, target.length - filled);
      target.set(part.subarray(0, used), filled);
      filled += used;
      if (used < part.length) this.#use(part.subarray(used));
    }
  }

  async #pull(found: number, wanted: number): Promise<Uint8Array> {
    const part = await this.#stream.pull();
    if (part === null) throw endsEarly(found, wanted);
    return part;
  }

  #use(buffer: Uint8Array): void {
    this.#buffer = buffer;
    this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    this.#at = 0;
  }

  /**
   * To be called after the last value: a checksum at the end of what is compressed is verified by this.
   * @throws {InvalidDataError} where more bytes follow.
   */
  async end(): Promise<void> {
    if (this.#atHand > 0 || (await this.#stream.pull()) !== null) {
      throw new InvalidDataError("more bytes follow the R object");
    }
  }
}

function endsEarly(found: number, wanted: number): InvalidDataError {
  return new InvalidDataError(`truncated R object: ${wanted} more bytes are needed, ${found} are there`);
}
