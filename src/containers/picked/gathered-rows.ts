/**
 * Gathers rows of an array whose values have a fixed size. Ranges of rows are copied in one piece from blocks of
 * chunks, which are decoded into reused memory.
 */

import type { ReadOptions } from "../../io/sources/source.js";
import { InvalidDataError } from "../../model/errors.js";
import { countElements, getDecodedSize, type StoredType, viewAsBytes } from "../../model/stored.js";
import type { StoredArray } from "../tree/container.js";
import { findRangeStart, type OrderedRowRanges, type RowRanges, splitRisingRanges } from "./row-ranges.js";

/**
 * Maximum bytes of rows that are decoded at a time, unless one chunk is larger. This many bytes fit into the CPU cache.
 */
const BLOCK_BYTES = 2 ** 21;

/** Maximum size in bytes of a chunk that is decoded as a whole. */
const MAX_CHUNK_BYTES = 2 ** 24;

/** Maximum gap in bytes between two rows that are read together, for an array without chunks. */
export const GAP_BYTES = 2 ** 14;

/** Below this number of bytes, a loop is faster than copying through a view. */
const SHORT = 64;

/** Returns the size of one value in bytes; null if the values have no fixed size or are structured. */
export function getFixedValueSize(type: StoredType): number | null {
  if (type.kind === "record" || type.kind === "unsupported") return null;
  const size = getDecodedSize(type);
  return size === 0 ? null : size;
}

/** Decoded rows [start, end), stored at the beginning of `memory`. */
interface Block {
  start: number;
  end: number;
  memory: Uint8Array<ArrayBuffer>;
}

export class GatheredRows {
  readonly #array: StoredArray;
  readonly #rowBytes: number;
  readonly #height: number;
  /**
   * Number of rows in a chunk; 1 if the array has no chunks, or if its chunks are too large to be decoded as a whole.
   */
  readonly #chunk: number;
  /** The maximum distance between two rows that are read together. */
  readonly #step: number;
  /** Number of rows to whose multiples blocks are aligned. No block extends across such a multiple. */
  readonly #block: number;
  /**
   * The last block read, which often contains the next rows. A read takes the block, so that no other read can change
   * it.
   */
  #held: Block | null = null;

  /** @param valueBytes the size of one value in bytes. */
  constructor(array: StoredArray, valueBytes: number) {
    const [height = 0, ...inner] = array.shape ?? [];
    this.#array = array;
    this.#height = height;
    this.#rowBytes = Math.max(1, countElements(inner) * valueBytes);
    const chunk = array.chunks?.[0];
    const isWhole = chunk !== undefined && chunk * this.#rowBytes <= MAX_CHUNK_BYTES;
    this.#chunk = isWhole ? chunk : 1;
    // Two rows at most one chunk apart lie in the same or in adjacent chunks, so no chunk between them is read
    // needlessly.
    this.#step = isWhole ? chunk : Math.max(1, Math.floor(GAP_BYTES / this.#rowBytes));
    this.#block = this.#chunk * Math.max(1, Math.floor(BLOCK_BYTES / (this.#chunk * this.#rowBytes)));
  }

  /**
   * Copies the rows [start, end) of the list `runs`.
   * @param target memory of exactly the size of the rows.
   */
  async into(runs: RowRanges, start: number, end: number, target: Uint8Array, options: ReadOptions): Promise<void> {
    // The rows of an array without columns contain nothing.
    if (target.length === 0) return;
    const range = this.#array.chunks === null ? findRangeStart(runs, start, end) : null;
    if (range !== null) return this.#read(range, range + end - start, target, options);
    const pieces = splitRisingRanges(runs, start, end, this.#block);
    const block: Block = this.#held ?? { start: 0, end: 0, memory: new Uint8Array(0) };
    this.#held = null;
    for (let first = 0; first < pieces.count; ) {
      options.signal?.throwIfAborted();
      const [next, stop] = this.#together(pieces, first);
      const from = pieces.rows[first];
      if (next === first + 1 && this.#isExact(from, stop)) {
        const at = pieces.places[first] * this.#rowBytes;
        await this.#read(from, stop, target.subarray(at, at + (stop - from) * this.#rowBytes), options);
      } else {
        await this.#load(block, from, stop, options);
        this.#copy(block, pieces, first, next, target);
      }
      first = next;
    }
    if (this.#chunk > 1) this.#held = block;
  }

  /**
   * Finds the pieces to read together, starting at `first`: returns the index after the last piece, and the end of the
   * rows.
   */
  #together({ rows, lengths, count }: OrderedRowRanges, first: number): readonly [next: number, stop: number] {
    const block = Math.floor(rows[first] / this.#block);
    let stop = rows[first] + lengths[first];
    let next = first + 1;
    for (; next < count && rows[next] - stop < this.#step && Math.floor(rows[next] / this.#block) === block; next++) {
      stop = Math.max(stop, rows[next] + lengths[next]);
    }
    return [next, stop];
  }

  /** True if reading the rows does not decode any other rows. */
  #isExact(start: number, end: number): boolean {
    return start % this.#chunk === 0 && (end % this.#chunk === 0 || end === this.#height);
  }

  /** Reads the rows [start, end), along with all other rows in their chunks, into `block`. */
  async #load(block: Block, start: number, end: number, options: ReadOptions): Promise<void> {
    if (start >= block.start && end <= block.end) return;
    const first = start - (start % this.#chunk);
    const last = Math.min(this.#height, Math.ceil(end / this.#chunk) * this.#chunk);
    const kept = first >= block.start && first < block.end ? block.end - first : 0;
    const bytes = (last - first) * this.#rowBytes;
    const before = block.memory;
    const begin = (first - block.start) * this.#rowBytes;
    if (before.length < bytes) block.memory = new Uint8Array(bytes);
    if (kept > 0) block.memory.set(before.subarray(begin, begin + kept * this.#rowBytes));
    // If the read fails, the block counts as empty.
    block.start = 0;
    block.end = 0;
    await this.#read(first + kept, last, block.memory.subarray(kept * this.#rowBytes, bytes), options);
    block.start = first;
    block.end = last;
  }

  async #read(start: number, end: number, target: Uint8Array, options: ReadOptions): Promise<void> {
    if (this.#array.readInto !== undefined) return this.#array.readInto(start, end, target, options);
    const values = await this.#array.read(start, end, options);
    const bytes = values.kind === "fixed" ? viewAsBytes(values.values) : new Uint8Array(0);
    if (bytes.length !== target.length) {
      throw new InvalidDataError(`${bytes.length} bytes were read where ${target.length} were asked for`, {
        element: this.#array.path,
      });
    }
    target.set(bytes);
  }

  #copy({ start, memory }: Block, pieces: OrderedRowRanges, first: number, next: number, target: Uint8Array): void {
    const rowBytes = this.#rowBytes;
    for (let i = first; i < next; i++) {
      const from = (pieces.rows[i] - start) * rowBytes;
      const at = pieces.places[i] * rowBytes;
      const length = pieces.lengths[i] * rowBytes;
      if (length >= SHORT) target.set(memory.subarray(from, from + length), at);
      else for (let k = 0; k < length; k++) target[at + k] = memory[from + k];
    }
  }
}
