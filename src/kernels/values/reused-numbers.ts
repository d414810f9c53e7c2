/** Memory for numbers on their way to a file: fresh memory for each batch keeps the collector busy. */

import { allocate, type NumberArray, type StoredType } from "../../model/stored.js";

export class ReusedNumbers {
  #memory: NumberArray;
  readonly #type: StoredType;

  constructor(type: StoredType) {
    this.#type = type;
    this.#memory = allocate(type, 0);
  }

  /** So many numbers, whatever they are, until it is asked again. */
  take(count: number): NumberArray {
    if (this.#memory.length < count) this.#memory = allocate(this.#type, count);
    return this.#memory.subarray(0, count);
  }
}
