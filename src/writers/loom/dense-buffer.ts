/**
 * Writes sparse entries as dense blocks. A range of the matrix's columns (or rows) that is as wide as a chunk is held
 * in memory.
 */

import { type DenseWords, runEnd, scatterList } from "../../kernels/sparse/scatter-dense.js";
import { type InvalidInputError, UnsupportedElementError, UnsupportedError } from "../../model/errors.js";
import { allocate, type IntArray, type NumberArray, type StoredType } from "../../model/stored.js";
import type { EntryBatch } from "../../tables/sparse/sparse-entries.js";

export interface DenseBufferLayout {
  /** "column": blocks are columns. */
  readonly order: "row" | "column";
  /** Lengths of the axis that is split into bands, and of the other axis. */
  readonly majors: number;
  readonly minors: number;
  /** Number of positions of a band. */
  readonly width: number;
  readonly type: StoredType;
}

/** Writes a block, which consists of some rows or some columns of the matrix, in C order. */
export type WriteDenseRange = (values: NumberArray, positions: number) => Promise<void>;

export class DenseBuffer {
  readonly #form: DenseBufferLayout;
  readonly #put: WriteDenseRange;
  readonly #element: string;
  readonly #warn: (message: string) => void;
  readonly #block: NumberArray;
  /** Block for the current band. The last block may be smaller. */
  #band: NumberArray;
  #words: DenseWords;
  /** First position of the current band; `#end` is its end. */
  #start = 0;
  #end: number;
  #lists = 0;
  #added = false;

  /** @param warn called once if entries are added up. */
  constructor(form: DenseBufferLayout, element: string, warn: (message: string) => void, put: WriteDenseRange) {
    const { majors, minors, width, type } = form;
    this.#form = form;
    this.#element = element;
    this.#warn = warn;
    this.#put = put;
    this.#end = Math.min(width, majors);
    this.#block = allocate(type, this.#end * minors);
    this.#band = this.#block;
    this.#words = wordsOf(this.#band);
  }

  /** Adds checked entries, which are within the shape and ordered along the axis that is split into bands. */
  async add(entries: EntryBatch, values: NumberArray): Promise<void> {
    const words = wordsOf(values);
    const { minor } = entries;
    if (entries.kind === "lists") {
      const { offsets } = entries;
      const [base] = offsets;
      for (let i = 0; i + 1 < offsets.length; i++) {
        if (this.#lists >= this.#end) await this.#reach(this.#lists);
        this.#scatter(this.#lists++, minor, values, words, offsets[i] - base, offsets[i + 1] - base);
      }
      return;
    }
    const { major } = entries;
    for (let from = 0; from < major.length; ) {
      const own = Number(major[from]);
      const to = runEnd(major, from);
      if (own >= this.#end) await this.#reach(own);
      this.#scatter(own, minor, values, words, from, to);
      from = to;
    }
  }

  /** Writes the remaining bands. */
  async close(): Promise<void> {
    const { majors } = this.#form;
    while (this.#start < majors) await this.#next();
  }

  async #reach(major: number): Promise<void> {
    while (major >= this.#end) await this.#next();
  }

  async #next(): Promise<void> {
    const { majors, minors, width } = this.#form;
    await this.#put(this.#band, this.#end - this.#start);
    wordsOf(this.#block).fill(0);
    this.#start = this.#end;
    this.#end = Math.min(majors, this.#start + width);
    const size = (this.#end - this.#start) * minors;
    if (size === this.#band.length) return;
    this.#band = this.#block.subarray(0, size);
    this.#words = wordsOf(this.#band);
  }

  #scatter(major: number, minor: IntArray, values: NumberArray, words: DenseWords, from: number, to: number): void {
    const { order, minors } = this.#form;
    const own = major - this.#start;
    const step = order === "column" ? this.#end - this.#start : 1;
    const base = order === "column" ? own : own * minors;
    const per = values.BYTES_PER_ELEMENT === 8 ? 2 : 1;
    for (let at = from; at < to; ) {
      at = scatterList(this.#words, base, step, minor, words, at, to, per);
      if (at === to) return;
      this.#addTo(base + Number(minor[at]) * step, values[at]);
      at++;
    }
  }

  /** Adds a repeated entry to the first entry at the same position, so that the value is their sum, as in scipy. */
  #addTo(at: number, value: number | bigint): void {
    const { type } = this.#form;
    if (type.kind === "float" && type.bits === 16) {
      throw new UnsupportedError(
        "two entries at one place, which are added up, but not as float16: add them up first",
        {
          element: this.#element,
        },
      );
    }
    if (!this.#added) this.#warn(`${this.#element}: there are several entries at one place; they are added up`);
    this.#added = true;
    const band = this.#band;
    if (band instanceof BigInt64Array || band instanceof BigUint64Array) {
      const sum = band[at] + BigInt(value);
      band[at] = sum;
      if (band[at] !== sum) throw this.#beyond(sum);
      return;
    }
    const sum = band[at] + Number(value);
    band[at] = sum;
    if (type.kind === "int" && band[at] !== sum) throw this.#beyond(sum);
  }

  #beyond(sum: number | bigint): InvalidInputError {
    return new UnsupportedElementError(
      `several entries at one place make ${sum}, which the type of the values does not hold`,
      {
        element: this.#element,
      },
    );
  }
}

/** Views values as integer words, so that the bits of floats do not change. */
function wordsOf(values: NumberArray): DenseWords {
  const { buffer, byteOffset, length, BYTES_PER_ELEMENT: bytes } = values;
  switch (bytes) {
    case 1:
      return new Uint8Array(buffer, byteOffset, length);
    case 2:
      return new Uint16Array(buffer, byteOffset, length);
    case 4:
      return new Uint32Array(buffer, byteOffset, length);
    default:
      return new Uint32Array(buffer, byteOffset, 2 * length);
  }
}
