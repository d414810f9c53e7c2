import { WRAP } from "./chunk-positions.js";
import { type Bp128Kind, type Bp128Page, CHUNK, countChunks, hasStarts, PAGE_VALUES } from "./page.js";

/** The pieces to append to the stored arrays. They are views of the page; the next piece overwrites them. */
export interface PackedBatch {
  readonly data: Uint32Array;
  readonly idx: Uint32Array;
  readonly starts: Uint32Array;
}

/** Packs a stream of values. The packer owns the page until `finish` has been called. */
export class Bp128Packer {
  readonly #page: Bp128Page;
  readonly #kind: Bp128Kind;
  #position: number;
  #waiting = 0;
  /** Number of `idx` entries so far, not counting the entry before the next chunk. */
  #entries = 0;
  readonly #borders: number[] = [];

  /** @param position the number of words that precede this stream in the data array. */
  constructor(page: Bp128Page, kind: Bp128Kind, position = 0) {
    this.#page = page;
    this.#kind = kind;
    this.#position = position;
    for (let border = WRAP; border <= position; border += WRAP) this.#borders.push(0);
  }

  /** Takes all values, and yields a piece whenever the page is full. The caller must exhaust the generator. */
  *push(values: Uint32Array): Generator<PackedBatch, void, undefined> {
    for (let from = 0; from < values.length; ) {
      const part = values.subarray(from, from + PAGE_VALUES - this.#waiting);
      this.#page.values.set(part, this.#waiting);
      this.#waiting += part.length;
      from += part.length;
      if (this.#waiting === PAGE_VALUES) yield this.#pack();
    }
  }

  /**
   * Returns the page's memory for the next values, at least one. The caller may write values there and then call
   * `filled`.
   */
  room(): Uint32Array {
    return this.#page.values.subarray(this.#waiting);
  }

  /** Calls the page's `wholeFloats` for the first `count` values of `room`. */
  wholeFloats(count: number): number {
    return this.#page.wholeFloats(this.#waiting, count);
  }

  /** Calls the page's `survey` for the first `count` values of `room`. */
  survey(count: number, limit: number): number {
    return this.#page.survey(this.#waiting, count, limit);
  }

  /** Takes the first `count` values of `room`. Returns a piece if the page is full. */
  filled(count: number): PackedBatch | null {
    this.#waiting += count;
    return this.#waiting === PAGE_VALUES ? this.#pack() : null;
  }

  /**
   * Returns the last piece with the incomplete chunk. If the stream has no values, this piece is the 0 that begins
   * `idx`.
   */
  finish(): PackedBatch {
    const { values } = this.#page;
    const waiting = this.#waiting;
    if (waiting % CHUNK > 0) values.fill(values[waiting - 1], waiting, CHUNK * countChunks(waiting));
    return this.#pack();
  }

  /** Returns `idx_offsets`. Must be called after `finish`. */
  offsets(): BigUint64Array {
    return BigUint64Array.from([0, ...this.#borders, this.#entries + 1], BigInt);
  }

  #pack(): PackedBatch {
    const { data, idx, starts } = this.#page;
    const chunks = countChunks(this.#waiting);
    const words = this.#page.pack(this.#kind, chunks, this.#position % WRAP);
    this.#noteBorder(words, chunks);
    const isFirst = this.#entries === 0;
    this.#position += words;
    this.#entries += chunks;
    this.#waiting = 0;
    return {
      data: data.subarray(0, words),
      // The first entry was already written as the last entry of the previous part.
      idx: idx.subarray(isFirst ? 0 : 1, chunks + 1),
      starts: starts.subarray(0, hasStarts(this.#kind) ? chunks : 0),
    };
  }

  /** Records the first entry at or after the next multiple of 2^32, if this page contains it. */
  #noteBorder(words: number, chunks: number): void {
    const border = (this.#borders.length + 1) * WRAP;
    if (this.#position + words < border) return;
    const { idx } = this.#page;
    let entry = 0;
    for (let at = this.#position; at < border && entry < chunks; entry++) at += (idx[entry + 1] - idx[entry]) >>> 0;
    this.#borders.push(this.#entries + entry);
  }
}
