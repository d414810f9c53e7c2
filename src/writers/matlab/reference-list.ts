/** A dataset of references, which come one by one: 8 bytes each are all that is held of a cell. */

import type { WrittenAttributes } from "../../containers/tree/container-writer.js";
import { located } from "../../model/errors.js";
import { product } from "../../model/stored.js";
import { openArray, type ValuePlace } from "./place.js";

export class ReferenceList {
  #values = new BigUint64Array(16);
  #count = 0;

  get length(): number {
    return this.#count;
  }

  add(reference: bigint): void {
    if (this.#count === this.#values.length) {
      const grown = new BigUint64Array(2 * this.#count);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#count++] = reference;
  }

  /** @param size of the cell or struct array; the references are in column-major order. */
  async write(place: ValuePlace, size: readonly number[], attributes: WrittenAttributes): Promise<void> {
    if (product(size) !== this.#count) throw new TypeError(`${this.#count} references for size ${size.join(" x ")}`);
    const values = this.#values.subarray(0, this.#count);
    const [first = 1, ...rest] = [...size].reverse();
    const array = await openArray(place, {
      ...{ type: { kind: "reference" }, attributes, compressed: false },
      shape: size.length === 0 ? [] : [first, ...rest],
    });
    await located({ element: place.element }, async () => {
      await array.write({ kind: "fixed", values }, first);
      await array.close();
    });
  }
}
