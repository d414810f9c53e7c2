/**
 * Memory for numbers that are about to be written to a file. It is reused for each batch, because fresh memory would
 * keep the garbage collector busy.
 */

import { allocate, type NumberArray, type StoredType } from "../../model/stored.js";

export class ReusedNumbers {
  #memory: NumberArray;
  readonly #type: StoredType;

  constructor(type: StoredType) {
    this.#type = type;
    this.#memory = allocate(type, 0);
  }

  /** Returns `count` numbers with arbitrary values, valid until the next call. */
  take(count: number): NumberArray {
    if (this.#memory.length < count) this.#memory = allocate(this.#type, count);
    return this.#memory.subarray(0, count);
  }
}
