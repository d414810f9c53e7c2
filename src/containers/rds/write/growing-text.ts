import { InvalidInputError } from "../../../model/errors.js";
import type { VariableValues } from "../../../model/stored.js";
import { type RText, UTF8 } from "../model/text.js";

/** Offsets are signed 32-bit integers. */
const MAX_BYTES = 2 ** 31 - 1;

/** Texts that are collected; in R they say that they are UTF-8. */
export class GrowingText {
  #offsets = new Int32Array(64);
  #bytes = new Uint8Array(1024);
  #count = 0;

  /**
   * @param path what errors call the array.
   * @throws {InvalidInputError} for texts with a NUL, and for 2 GiB and more.
   */
  add({ offsets, bytes }: VariableValues, path: string): void {
    const rows = offsets.length - 1;
    const added = bytes.subarray(offsets[0], offsets[rows]);
    const base = this.#offsets[this.#count];
    const end = base + added.length;
    if (added.includes(0)) throw new InvalidInputError("a text with a NUL, which R cannot hold", { element: path });
    if (end > MAX_BYTES) throw new InvalidInputError("texts of 2 GiB and more", { element: path });
    this.#reserve(this.#count + rows + 1, end);
    this.#bytes.set(added, base);
    for (let i = 1; i <= rows; i++) this.#offsets[this.#count + i] = base + offsets[i] - offsets[0];
    this.#count += rows;
  }

  #reserve(offsets: number, bytes: number): void {
    if (offsets > this.#offsets.length) {
      const larger = new Int32Array(Math.max(offsets, 2 * this.#offsets.length));
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    if (bytes > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(bytes, Math.min(2 * this.#bytes.length, MAX_BYTES)));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
  }

  text(): RText {
    const offsets = this.#offsets.subarray(0, this.#count + 1);
    const bytes = this.#bytes.subarray(0, offsets[this.#count]);
    return { offsets, bytes, encodings: new Uint8Array(this.#count).fill(UTF8) };
  }
}
