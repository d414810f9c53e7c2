/** Entries of one place of a matrix, of which MATLAB's sparse matrices have one, as their sum. */

import type { IntArray, NumberArray } from "../../model/stored.js";

/** Entries in the order of columns, then rows. */
export interface Placed {
  readonly major: IntArray;
  readonly minor: IntArray;
  /** `width` numbers for each entry. */
  readonly values: NumberArray;
}

/** Adds up what stands twice, piece by piece: the last entry of a piece waits for the next one. */
export class AddedUp {
  readonly #width: number;
  readonly #isLogical: boolean;
  readonly #isLarge: boolean;
  #last: { readonly major: number; readonly minor: number; readonly values: Float64Array } | null = null;
  /** How many entries went into others. */
  added = 0;

  /** @param width 2 for complex numbers; true and true are true among logicals. */
  constructor(shape: readonly [number, number], width: number, isLogical: boolean) {
    this.#width = width;
    this.#isLogical = isLogical;
    this.#isLarge = Math.max(...shape) > 2 ** 31;
  }

  /** The entries that are complete; all where `given` is null. */
  take(given: Placed | null): Placed {
    const width = this.#width;
    const room = (given?.minor.length ?? 0) + 1;
    const major = new Float64Array(room);
    const minor = new Float64Array(room);
    const values = new Float64Array(room * width);
    let count = 0;
    if (this.#last !== null) {
      major[0] = this.#last.major;
      minor[0] = this.#last.minor;
      values.set(this.#last.values);
      count = 1;
    }
    for (let i = 0; given !== null && i < given.minor.length; i++) {
      const [col, row] = [Number(given.major[i]), Number(given.minor[i])];
      const isNew = count === 0 || major[count - 1] !== col || minor[count - 1] !== row;
      if (isNew) count++;
      else this.added++;
      major[count - 1] = col;
      minor[count - 1] = row;
      for (let k = 0; k < width; k++) {
        const at = (count - 1) * width + k;
        const value = Number(given.values[i * width + k]);
        values[at] = isNew ? value : this.#isLogical ? Math.max(values[at], value) : values[at] + value;
      }
    }
    const done = given === null ? count : Math.max(0, count - 1);
    this.#last =
      given === null || count === 0
        ? null
        : { major: major[done], minor: minor[done], values: values.slice(done * width, count * width) };
    const sums = values.subarray(0, done * width);
    const positions = (all: Float64Array) => {
      const own = all.subarray(0, done);
      return this.#isLarge ? BigInt64Array.from(own, BigInt) : Int32Array.from(own);
    };
    return {
      major: positions(major),
      minor: positions(minor),
      values: this.#isLogical ? Uint8Array.from(sums) : sums,
    };
  }
}
