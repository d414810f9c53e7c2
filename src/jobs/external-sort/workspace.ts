/** Holds the memory of a sort: blocks of entries, with one array for each part of an entry. */

import { allocateWords, countEntryBytes, type WordShape } from "../../arrow/value-words.js";
import type { EntryWords } from "../../kernels/sparse/scatter.js";
import { viewAsBytes } from "../../model/stored.js";

const COORDINATE: WordShape = { bytes: 4, step: 1 };

/** Parts of an entry: the major coordinate, which is compared first, the minor coordinate, and the value's words. */
export class EntryShape {
  readonly value: readonly WordShape[];
  readonly bytes: number;

  constructor(value: readonly WordShape[]) {
    this.value = value;
    this.bytes = 2 * COORDINATE.bytes + countEntryBytes(value);
  }
}

export class EntryBuffer {
  readonly shape: EntryShape;
  readonly capacity: number;
  readonly major: Int32Array;
  readonly minor: Int32Array;
  readonly values: readonly EntryWords[];

  constructor(shape: EntryShape, capacity: number) {
    this.shape = shape;
    this.capacity = capacity;
    this.major = new Int32Array(capacity);
    this.minor = new Int32Array(capacity);
    this.values = shape.value.map((one) => allocateWords(one, capacity));
  }

  /** Returns a copy with room for `capacity` entries that contains the first `count` entries. */
  grown(capacity: number, count: number): EntryBuffer {
    const larger = new EntryBuffer(this.shape, capacity);
    larger.major.set(this.major.subarray(0, count));
    larger.minor.set(this.minor.subarray(0, count));
    this.values.forEach((words, i) => void larger.values[i].set(words.subarray(0, count * this.shape.value[i].step)));
    return larger;
  }

  /** Returns the bytes of the entries [start, end): views of this block's memory, one array per part. */
  bytes(start: number, end: number): Uint8Array[] {
    const { value } = this.shape;
    return [
      viewAsBytes(this.major.subarray(start, end)),
      viewAsBytes(this.minor.subarray(start, end)),
      ...this.values.map((words, i) => viewAsBytes(words.subarray(start * value[i].step, end * value[i].step))),
    ];
  }
}

/** Bytes per entry for the target positions that a distribution needs in addition to its two blocks. */
const PLACE_BYTES = 4;

/** Bytes per entry for the second of two orders within a segment. The first shares memory with the positions. */
const ORDER_BYTES = 4;

/** Two blocks between which entries are moved, and memory for their target positions. */
export class Workspace {
  readonly shape: EntryShape;
  /** Number of entries that the budget allows. */
  readonly capacity: number;
  source: EntryBuffer;
  #target: EntryBuffer;
  #places: Uint32Array = new Uint32Array(0);

  constructor(shape: EntryShape, budgetBytes: number) {
    this.shape = shape;
    this.capacity = Math.max(1, Math.floor(budgetBytes / (2 * shape.bytes + PLACE_BYTES + ORDER_BYTES)));
    this.source = new EntryBuffer(shape, 0);
    this.#target = new EntryBuffer(shape, 0);
  }

  /** Makes room for `needed` entries in `source` and preserves the first `count` entries. */
  reserve(needed: number, count: number): void {
    if (this.source.capacity >= needed) return;
    const doubled = Math.min(this.capacity, Math.max(2 * this.source.capacity, 2 ** 16));
    this.source = this.source.grown(Math.max(needed, doubled), count);
  }

  /** Returns a block for `count` entries. All calls return the same block, so only one caller may use it at a time. */
  target(count: number): EntryBuffer {
    if (this.#target.capacity < count) this.#target = new EntryBuffer(this.shape, count);
    return this.#target;
  }

  /** Returns memory for one position per entry. */
  places(count: number): Uint32Array {
    if (this.#places.length < count) this.#places = new Uint32Array(count);
    return this.#places.subarray(0, count);
  }
}
