/** `chr_ptr`: of every chromosome where its fragments begin and end, in stored order. */

import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { UINT64 } from "./array-types.js";

export class ChromosomeRanges {
  readonly #begins = new Map<number, number>();
  readonly #ends = new Map<number, number>();
  #ascending = true;
  #last = -1;
  #highest = -1;
  #count = 0;

  /** How many fragments there are. */
  get count(): number {
    return this.#count;
  }

  /** The next fragments are of this chromosome; each is one piece. */
  add(chr: number, fragments: number): void {
    if (!this.#begins.has(chr)) this.#begins.set(chr, this.#count);
    this.#ascending &&= chr >= this.#last;
    this.#last = chr;
    this.#highest = Math.max(this.#highest, chr);
    this.#count += fragments;
    this.#ends.set(chr, this.#count);
  }

  async write(group: GroupWriter, chromosomes: number): Promise<void> {
    const values = this.#pointers(chromosomes);
    const array = await group.array("chr_ptr", { type: UINT64, shape: [values.length] });
    if (values.length > 0) await array.write({ kind: "fixed", values }, values.length);
    await array.close();
  }

  /**
   * A chromosome without fragments has what BPCells writes: the place where its fragments would stand; where the stored
   * order is not that of the chromosomes, 0, or the number of all fragments behind the last one that has some.
   */
  #pointers(chromosomes: number): BigUint64Array {
    const pointers = new BigUint64Array(2 * chromosomes);
    let place = 0;
    for (let chr = 0; chr < chromosomes; chr++) {
      const empty = this.#ascending ? place : chr > this.#highest ? this.#count : 0;
      const begin = this.#begins.get(chr) ?? empty;
      const end = this.#ends.get(chr) ?? empty;
      pointers[2 * chr] = BigInt(begin);
      pointers[2 * chr + 1] = BigInt(end);
      place = end;
    }
    return pointers;
  }
}
