/** Input in XDR, whose words are big-endian, or in R's binary format with little-endian words. */

import { InvalidDataError } from "annarrow";
import { swapBytes } from "annarrow/core/kernels";
import type { BufferedStream } from "./buffered-stream.js";
import type { ItemInput, Reading, Want } from "./item-input.js";

export class BinaryInput implements ItemInput {
  readonly #bytes: BufferedStream;
  readonly #isLittleEndian: boolean;

  constructor(bytes: BufferedStream, isLittleEndian: boolean) {
    this.#bytes = bytes;
    this.#isLittleEndian = isLittleEndian;
  }

  has(count: number): boolean {
    return this.#bytes.atHand >= count;
  }

  int(): number {
    return this.#bytes.int(this.#isLittleEndian);
  }

  chars(length: number): Uint8Array {
    return this.#bytes.take(length);
  }

  *ints(count: number): Reading<Int32Array<ArrayBuffer>> {
    const values = new Int32Array(count);
    yield* this.words(new Uint8Array(values.buffer), 4);
    return values;
  }

  *reals(count: number): Reading<Float64Array<ArrayBuffer>> {
    const values = new Float64Array(count);
    yield* this.words(new Uint8Array(values.buffer), 8);
    return values;
  }

  *raws(count: number): Reading<Uint8Array<ArrayBuffer>> {
    const values = new Uint8Array(count);
    yield* this.words(values, 1);
    return values;
  }

  *words(bytes: Uint8Array, size: number): Reading<void> {
    if (this.has(bytes.length)) bytes.set(this.chars(bytes.length));
    else yield bytes;
    if (!this.#isLittleEndian) swapBytes(bytes, size);
  }

  expect(count: number, bytes: number, what: string): void {
    const room = this.#bytes.room();
    if (count * bytes > room) {
      throw new InvalidDataError(`${what} of ${count} needs ${count * bytes} bytes, at most ${room} are left`);
    }
    this.#bytes.count(count * bytes);
  }

  async supply(want: Want): Promise<void> {
    if (typeof want === "number") await this.#bytes.gather(want);
    else if (want instanceof Uint8Array) await this.#bytes.fill(want);
    else await want;
  }

  async end(): Promise<void> {
    await this.#bytes.gatherSome(this.#bytes.atHand + 1);
    if (this.#bytes.atHand > 0) throw new InvalidDataError("more bytes follow the R object");
  }
}
