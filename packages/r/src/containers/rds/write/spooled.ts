/** The bytes of a vector's elements, which are moved out of memory as they are added. */

import { swapBytes } from "annarrow/core/kernels";
import { type NumberArray, viewAsBytes } from "annarrow/core/model";
import { type MemberPart, PART_BYTES, type PartStore } from "./part-store.js";

/** Initial size of a section in bytes. Most sections are small. */
const LEAST_BYTES = 2 ** 12;

/** A sequence of bytes in a document: full parts, and after them the rest in memory. */
export class Section {
  readonly #store: PartStore;
  readonly #wordBytes: 1 | 4 | 8;
  readonly #parts: MemberPart[] = [];
  #block = new Uint8Array(0);
  #used = 0;
  #length = 0;

  /** @param wordBytes bytes of each number, which is written in big-endian order; 1 for single bytes. */
  constructor(store: PartStore, wordBytes: 1 | 4 | 8) {
    this.#store = store;
    this.#wordBytes = wordBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Appends a copy of the values. */
  async add(values: Uint8Array | NumberArray): Promise<void> {
    const bytes = viewAsBytes(values);
    for (let at = 0; at < bytes.length; ) {
      if (this.#used === this.#block.length) await this.#makeRoom(bytes.length - at);
      const part = bytes.subarray(at, at + this.#block.length - this.#used);
      this.#block.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
    }
    this.#length += bytes.length;
  }

  async #makeRoom(wanted: number): Promise<void> {
    if (this.#used === PART_BYTES) {
      await this.#flush();
      this.#block = this.#store.memory(PART_BYTES);
      return;
    }
    const size = Math.min(PART_BYTES, Math.max(LEAST_BYTES, 2 * this.#used, this.#used + 8 * Math.ceil(wanted / 8)));
    const larger = size === PART_BYTES ? this.#store.memory(PART_BYTES) : new Uint8Array(size);
    larger.set(this.#block.subarray(0, this.#used));
    this.#block = larger;
  }

  async #flush(): Promise<void> {
    const block = this.#block;
    this.#block = new Uint8Array(0);
    this.#used = 0;
    swapBytes(block, this.#wordBytes);
    this.#parts.push(await this.#store.add(block));
  }

  /** Returns the parts, and the rest in its written form. Nothing can be added afterwards. */
  finish(): { readonly parts: readonly MemberPart[]; readonly rest: Uint8Array<ArrayBuffer> } {
    const rest = this.#block.slice(0, this.#used);
    swapBytes(rest, this.#wordBytes);
    return { parts: this.#parts, rest };
  }

  /** Stores the rest as the last part, and returns all parts. */
  async end(): Promise<readonly MemberPart[]> {
    if (this.#used > 0) {
      const { rest } = this.finish();
      this.#used = 0;
      this.#parts.push(await this.#store.add(rest));
    }
    return this.#parts;
  }
}

/** The elements of a vector whose value in the tree contains no elements. */
export interface SpooledElements {
  readonly length: number;
  readonly sections: readonly Section[];
}
