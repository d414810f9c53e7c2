/** Writes the index of the fragments: `end_max`, and `chr_ptr`, the range of fragments of each chromosome. */

import type { ArrayWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import { CHUNK } from "../../kernels/bp128/page.js";
import type { FragmentPage } from "../../kernels/fragments/page.js";
import { UINT32, UINT64 } from "./context.js";

/**
 * Writes `end_max`, one entry for every 128 fragments, and one for the rest. An entry is the greatest end so far of the
 * present chromosome, or the greatest end of a chromosome that has ended since the last entry, if that is greater.
 */
export class EndMaxima {
  readonly #array: ArrayWriter;
  #waiting = new Uint32Array(2 ** 10);
  #entries = 0;
  #chr = -1;
  #current = 0;
  #ended = 0;
  /** Fragments since the last entry. */
  #rows = 0;

  private constructor(array: ArrayWriter) {
    this.#array = array;
  }

  static async open(group: GroupWriter): Promise<EndMaxima> {
    return new EndMaxima(await group.array("end_max", { type: UINT32, shape: [null] }));
  }

  /** Adds the next fragments, all of chromosome `chr`, at the places from `from` to `to` of the page. */
  add(chr: number, page: FragmentPage, from: number, to: number): void {
    if (chr !== this.#chr) {
      this.#ended = Math.max(this.#ended, this.#current);
      this.#current = 0;
      this.#chr = chr;
    }
    for (let at = from; at < to; ) {
      const next = Math.min(to, at + CHUNK - this.#rows);
      this.#current = Math.max(this.#current, page.greatest(at, next));
      this.#rows += next - at;
      at = next;
      if (this.#rows === CHUNK) this.#enter();
    }
  }

  /** Writes the entries so far. */
  async flush(): Promise<void> {
    const values = this.#waiting.subarray(0, this.#entries);
    this.#entries = 0;
    if (values.length > 0) await this.#array.write({ kind: "fixed", values }, values.length);
  }

  async close(): Promise<void> {
    if (this.#rows > 0) this.#enter();
    await this.flush();
    await this.#array.close();
  }

  #enter(): void {
    if (this.#entries === this.#waiting.length) {
      const larger = new Uint32Array(2 * this.#entries);
      larger.set(this.#waiting);
      this.#waiting = larger;
    }
    this.#waiting[this.#entries++] = Math.max(this.#current, this.#ended);
    this.#ended = 0;
    this.#rows = 0;
  }
}

export class ChromosomeRanges {
  readonly #begins = new Map<number, number>();
  readonly #ends = new Map<number, number>();
  #ascending = true;
  #last = -1;
  #highest = -1;
  #count = 0;

  /** Number of fragments. */
  get count(): number {
    return this.#count;
  }

  /** Adds the next fragments, all of chromosome `chr`. */
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
   * The pointers of all chromosomes. A chromosome without fragments gets the pointers that BPCells writes: the place
   * where its fragments would begin. If the chromosomes are not stored in ascending order, it gets 0, or, behind the
   * highest chromosome with fragments, the number of all fragments.
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
