/** Entries in memory, each part of them in an array of its own. */

import type { EntryWords } from "../kernels/sparse/scatter.js";
import { bytesOf } from "../model/stored.js";
import { allocateWords, entryBytes, type WordShape } from "./value-words.js";

/** Two coordinates of 32 bits. */
const COORDINATE: WordShape = { bytes: 4, step: 1 };

/** What an entry consists of: the coordinate that is compared first, the other one, and the value. */
export class EntryShape {
  readonly value: readonly WordShape[];
  readonly bytes: number;

  constructor(value: readonly WordShape[]) {
    this.value = value;
    this.bytes = 2 * COORDINATE.bytes + entryBytes(value);
  }
}

export class EntryBlock {
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

  /** The first `count` entries in a larger block. */
  grown(capacity: number, count: number): EntryBlock {
    const larger = new EntryBlock(this.shape, capacity);
    larger.major.set(this.major.subarray(0, count));
    larger.minor.set(this.minor.subarray(0, count));
    this.values.forEach((words, i) => void larger.values[i].set(words.subarray(0, count * this.shape.value[i].step)));
    return larger;
  }

  /** The bytes of the entries [start, end), one array for each of their parts, in this block's memory. */
  bytes(start: number, end: number): Uint8Array[] {
    const { value } = this.shape;
    return [
      bytesOf(this.major.subarray(start, end)),
      bytesOf(this.minor.subarray(start, end)),
      ...this.values.map((words, i) => bytesOf(words.subarray(start * value[i].step, end * value[i].step))),
    ];
  }
}
