/** Sums of packed values without WebAssembly. */

import type { Bp128Sums } from "./page.js";
import { PlainPage } from "./plain-page.js";

export class PlainSums implements Bp128Sums {
  readonly indices = new PlainPage();
  readonly values = new PlainPage();
  readonly count: number;
  #sums: Float64Array<ArrayBuffer>;

  constructor(count: number) {
    this.count = count;
    this.#sums = new Float64Array(count);
  }

  add(from: number, to: number): void {
    const indices = this.indices.values;
    const values = this.values.values;
    const sums = this.#sums;
    for (let i = from; i < to; i++) sums[indices[i]] += values[i];
  }

  take(): Float64Array<ArrayBuffer> {
    const sums = this.#sums;
    this.#sums = new Float64Array(this.count);
    return sums;
  }
}
