/** Unpacks a packed array range by range. */

import type { ReadOptions } from "../../io/sources/source.js";
import type { ChunkPositions } from "../../kernels/bp128/chunk-positions.js";
import {
  type Bp128Kind,
  type Bp128Page,
  CHUNK,
  countChunks,
  getChunkIndex,
  PAGE_CHUNKS,
  PAGE_VALUES,
} from "../../kernels/bp128/page.js";
import { unpackPage } from "../../kernels/bp128/unpack-page.js";
import { InvalidDataError, locateError, runWithLocation } from "../../model/errors.js";
import type { StoredArray } from "../tree/container.js";
import { PrefetchedWords } from "./prefetched-words.js";

/** A packed array whose parts are consistent. */
export interface PackedChunks {
  readonly path: string;
  readonly kind: Bp128Kind;
  /** Every value must be less than `limit`; null if no limit is known. */
  readonly limit: number | null;
  readonly positions: ChunkPositions;
  readonly data: StoredArray;
  readonly idx: StoredArray;
  /** Null for packed kinds without starts. */
  readonly starts: StoredArray | null;
}

/** Reads one range at a time. Words read with one range are cached for the next. */
export class Bp128Reader {
  readonly #chunks: PackedChunks;
  readonly #data: PrefetchedWords;
  readonly #idx: PrefetchedWords;
  readonly #starts: PrefetchedWords | null;
  /**
   * The index of the first chunk after the requested values. Null if it is unknown, or once the window of words has
   * received this limit.
   */
  #stop: number | null = null;

  /**
   * @param page the memory to read into, until `end`; by default the reader uses its own memory.
   * @param until the end of all values that will be requested, range by range. Nothing after it is read ahead.
   */
  constructor(chunks: PackedChunks, page: Bp128Page | null = null, until: number | null = null) {
    const window = (array: StoredArray, area: Uint32Array | undefined, head: number) =>
      new PrefetchedWords(array, area === undefined ? undefined : { halves: halves(area), head });
    const { data, idx, starts } = chunks;
    this.#chunks = chunks;
    this.#data = window(data, page?.data, PAGE_VALUES);
    this.#idx = window(idx, page?.idx, 2 * PAGE_CHUNKS);
    this.#starts = starts === null ? null : window(starts, page?.starts, 2 * PAGE_CHUNKS);
    if (until === null) return;
    this.#stop = countChunks(until);
    this.#idx.expect(this.#stop + 1);
    this.#starts?.expect(this.#stop);
  }

  /**
   * Unpacks the chunks that hold the values [start, end) to the start of `page.values`. The values must exist; their
   * chunks may exceed `PAGE_CHUNKS`. Only the requested values are checked.
   * @throws {InvalidDataError}
   */
  load(page: Bp128Page, start: number, end: number, options: ReadOptions = {}): Promise<void> {
    return runWithLocation({ element: this.#chunks.path }, () => this.#load(page, start, end, options));
  }

  /** Does the work of `load` synchronously if all required words are already in memory; otherwise returns false. */
  loadNow(page: Bp128Page, start: number, end: number): boolean {
    const first = getChunkIndex(start);
    const stop = countChunks(end);
    const starts = this.#starts;
    if (!this.#idx.holds(first, stop + 1) || (starts !== null && !starts.holds(first, stop))) return false;
    try {
      const entries = this.#idx.words(first, stop + 1);
      const { from, to } = this.#chunks.positions.words(first, entries);
      if (!this.#data.holds(from, to)) return false;
      this.#unpack(page, start, end, entries, from, to);
      return true;
    } catch (error) {
      throw locateError(error, { element: this.#chunks.path });
    }
  }

  /** Waits for pending reads. Nothing is written to the page afterwards. */
  async end(): Promise<void> {
    await Promise.all([this.#data.end(), this.#idx.end(), this.#starts?.end()]);
  }

  /** Releases the reader's own memory. */
  forget(): void {
    for (const window of [this.#data, this.#idx, this.#starts]) window?.forget();
  }

  async #load(page: Bp128Page, start: number, end: number, options: ReadOptions): Promise<void> {
    options.signal?.throwIfAborted();
    const { positions } = this.#chunks;
    const data = this.#data;
    const starts = this.#starts;
    const first = getChunkIndex(start);
    const stop = countChunks(end);
    if (!this.#idx.holds(first, stop + 1)) await this.#idx.load(first, stop + 1, options);
    if (starts !== null && !starts.holds(first, stop)) await starts.load(first, stop, options);
    const entries = this.#idx.words(first, stop + 1);
    const { from, to } = positions.words(first, entries);
    if (this.#stop !== null && this.#idx.holds(first, this.#stop + 1)) {
      data.expect(positions.words(first, this.#idx.words(first, this.#stop + 1)).to);
      this.#stop = null;
    }
    if (!data.holds(from, to)) await data.load(from, to, options);
    this.#unpack(page, start, end, entries, from, to);
  }

  /** Unpacks chunks from memory, using their `entries` of `idx` and the words [from, to). */
  #unpack(page: Bp128Page, start: number, end: number, entries: Uint32Array, from: number, to: number): void {
    const starts = this.#starts;
    const first = getChunkIndex(start);
    const stop = countChunks(end);
    const place = {
      data: placeIn(page.data, this.#data.words(from, to)),
      idx: placeIn(page.idx, entries),
      starts: starts === null ? 0 : placeIn(page.starts, starts.words(first, stop)),
    };
    unpackPage(page, this.#chunks.kind, stop - first, to - from, first, place);
    this.#checkLimit(page, start, end);
  }

  #checkLimit(page: Bp128Page, start: number, end: number): void {
    const { limit } = this.#chunks;
    const base = start - (start % CHUNK);
    if (limit === null || start === end || page.greatest(end - base) < limit) return;
    const wrong = page.values.subarray(start - base, end - base).findIndex((value) => value >= limit);
    // A wrong value that precedes the requested values is not an error.
    if (wrong < 0) return;
    const found = page.values[start - base + wrong];
    throw new InvalidDataError(`indices[${start + wrong}] is ${found}, outside 0 … ${limit - 1}`);
  }
}

function halves(area: Uint32Array): [Uint32Array, Uint32Array] {
  const half = area.length / 2;
  return [area.subarray(0, half), area.subarray(half)];
}

/**
 * Returns the index of words within an area of a page. Words from other memory are first copied to the area's start.
 */
function placeIn(area: Uint32Array, words: Uint32Array): number {
  if (words.buffer === area.buffer) return (words.byteOffset - area.byteOffset) / 4;
  area.set(words);
  return 0;
}
