/** Builds text of variable length. Values are added directly to the final memory. */

import type { VariableValues } from "../../model/stored.js";
import { checkTextBytes } from "../values/join-values.js";
import { copyText } from "./copy-text.js";

export class TextBuilder {
  readonly #offsets: Int32Array;
  #view: DataView;
  #bytes: Uint8Array;
  #count = 0;
  #end = 0;

  /** @param bytes the expected size of all text. The memory grows if more is needed. */
  constructor(count: number, bytes: number) {
    checkTextBytes(bytes);
    this.#offsets = new Int32Array(count + 1);
    this.#bytes = new Uint8Array(bytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /**
   * Adds a value: `length` bytes of `from`, or only the bytes before the first NUL.
   * @throws {InvalidInputError} if the whole text is too large for one read.
   */
  add(from: DataView, at: number, length: number): void {
    if (this.#end + length > this.#bytes.length) this.#grow(length);
    this.#end += copyText(from, at, length, this.#view, this.#end);
    this.#offsets[++this.#count] = this.#end;
  }

  addEmpty(): void {
    this.#offsets[++this.#count] = this.#end;
  }

  #grow(length: number): void {
    const needed = this.#end + length;
    checkTextBytes(needed);
    const before = this.#bytes.subarray(0, this.#end);
    this.#bytes = new Uint8Array(Math.max(needed, Math.min(2 * this.#bytes.length, MAX_GROWN)));
    this.#bytes.set(before);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Returns all values. The builder must not be used afterwards. */
  finish(): VariableValues {
    const bytes = this.#end === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#end);
    return { kind: "variable", offsets: this.#offsets, bytes };
  }
}

/** Maximum size up to which memory is doubled. */
const MAX_GROWN = 2 ** 31 - 1;
