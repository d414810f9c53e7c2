/** BP-128, and sums of packed values, without WebAssembly. */

import { expandPointers } from "../sparse/indptr.js";
import {
  type Bp128Kind,
  type Bp128Page,
  type Bp128Sums,
  CHUNK,
  hasStarts,
  PAGE_BEGIN,
  PAGE_ENTRIES,
  PAGE_VALUES,
  PAGE_WORDS,
} from "./page.js";

/** A page in JavaScript. Its loops process bits as signed words, which is faster. Both views share memory. */
export class FallbackBp128Page implements Bp128Page {
  readonly data: Uint32Array;
  readonly idx = new Uint32Array(PAGE_ENTRIES);
  readonly starts = new Uint32Array(PAGE_ENTRIES);
  readonly values: Uint32Array;
  readonly #data: Int32Array;
  readonly #values: Int32Array;
  readonly #changed = new Int32Array(CHUNK);

  constructor() {
    // The last lane of the last chunk may read one word too far.
    this.#data = new Int32Array(PAGE_WORDS + 4);
    this.#values = new Int32Array(PAGE_VALUES);
    this.data = new Uint32Array(this.#data.buffer, 0, PAGE_WORDS);
    this.values = new Uint32Array(this.#values.buffer);
  }

  unpack(kind: Bp128Kind, chunks: number, place = PAGE_BEGIN): number {
    const { idx, starts } = this;
    const data = this.#data;
    const values = this.#values;
    let from = place.data;
    for (let chunk = 0; chunk < chunks; chunk++) {
      const words = (idx[place.idx + chunk + 1] - idx[place.idx + chunk]) >>> 0;
      if (words > CHUNK || words % 4 !== 0) return chunk;
      const to = chunk * CHUNK;
      if (words === CHUNK) {
        values.set(data.subarray(from, from + CHUNK), to);
      } else {
        unpackBits(data, from, words / 4, values, to);
        restore(kind, values, to, starts[place.starts + chunk]);
      }
      from += words;
    }
    return -1;
  }

  pack(kind: Bp128Kind, chunks: number, position: number): number {
    const { idx, starts } = this;
    const data = this.#data;
    const values = this.#values;
    const changed = this.#changed;
    let to = 0;
    idx[0] = position;
    for (let chunk = 0; chunk < chunks; chunk++) {
      const from = chunk * CHUNK;
      const width = 32 - Math.clz32(change(kind, values, from, changed));
      if (width === 32) data.set(values.subarray(from, from + CHUNK), to);
      else if (width > 0) packBits(changed, width, data, to);
      to += 4 * width;
      idx[chunk + 1] = position + to;
      if (hasStarts(kind)) starts[chunk] = values[from];
    }
    return to;
  }

  add(other: Bp128Page, count: number): void {
    const { values } = this;
    for (let i = 0; i < count; i++) values[i] += other.values[i];
  }

  wholeFloats(from: number, count: number): number {
    const floats = new Float32Array(this.values.buffer, this.values.byteOffset + 4 * from, count);
    for (let i = 0; i < count; i++) {
      const whole = floats[i] >>> 0;
      if (whole !== floats[i]) return i;
      this.values[from + i] = whole;
    }
    return -1;
  }

  falls(count: number): boolean {
    for (let i = 1; i < count; i++) if (this.values[i] < this.values[i - 1]) return true;
    return false;
  }

  sum(from: number, to: number): number {
    let sum = 0;
    for (let i = from; i < to; i++) sum += this.values[i];
    return sum;
  }

  expand(pointers: Float64Array, first: number, start: number, end: number, at: number): void {
    expandPointers(pointers, first, start, end, this.#values.subarray(at));
  }

  survey(from: number, count: number, limit: number): number {
    const { values } = this;
    let decreases = 0;
    for (let i = from; i < from + count; i++) {
      if (values[i] >= limit) return -1;
      if (i > from && values[i] < values[i - 1]) decreases++;
    }
    return decreases;
  }

  greatest(count: number): number {
    let greatest = 0;
    for (let i = 0; i < count; i++) if (this.values[i] > greatest) greatest = this.values[i];
    return greatest;
  }
}

/** Unpacks a chunk with a width below 32. */
function unpackBits(data: Int32Array, from: number, width: number, out: Int32Array, to: number): void {
  if (width === 0) {
    out.fill(0, to, to + CHUNK);
    return;
  }
  const mask = -1 >>> (32 - width);
  const end = to + CHUNK;
  for (let lane = 0; lane < 4; lane++) {
    let at = from + lane;
    let word = data[at];
    let shift = 0;
    for (let i = to + lane; i < end; i += 4) {
      let value = word >>> shift;
      shift += width;
      if (shift >= 32) {
        shift -= 32;
        at += 4;
        word = data[at];
        // Where no bits are left over, this only adds bits above the mask.
        value |= word << (width - shift);
      }
      out[i] = value & mask;
    }
  }
}

/** Packs a chunk with a width of 1 … 31. */
function packBits(changed: Int32Array, width: number, data: Int32Array, to: number): void {
  const count = changed.length;
  for (let lane = 0; lane < 4; lane++) {
    let at = to + lane;
    let word = 0;
    let shift = 0;
    for (let i = lane; i < count; i += 4) {
      const value = changed[i];
      word |= value << shift;
      shift += width;
      if (shift >= 32) {
        shift -= 32;
        data[at] = word;
        at += 4;
        word = value >>> (width - shift);
      }
    }
  }
}

/** Reverses the transformation of a chunk's values in place; see `Bp128Kind`. */
function restore(kind: Bp128Kind, values: Int32Array, from: number, start: number): void {
  const to = from + CHUNK;
  let sum = start | 0;
  switch (kind) {
    case "plain":
      break;
    case "m1":
      for (let i = from; i < to; i++) values[i]++;
      break;
    case "d1":
      for (let i = from; i < to; i++) {
        sum = (sum + values[i]) | 0;
        values[i] = sum;
      }
      break;
    case "d1z":
      for (let i = from; i < to; i++) {
        const zigzag = values[i];
        sum = (sum + ((zigzag >>> 1) ^ -(zigzag & 1))) | 0;
        values[i] = sum;
      }
      break;
    default:
      kind satisfies never;
  }
}

/** Writes a chunk's values with the transformation of their kind. Returns the bitwise OR of all results. */
function change(kind: Bp128Kind, values: Int32Array, from: number, changed: Int32Array): number {
  const count = changed.length;
  let bits = 0;
  let before = values[from];
  switch (kind) {
    case "plain":
      for (let i = 0; i < count; i++) {
        const value = values[from + i];
        changed[i] = value;
        bits |= value;
      }
      break;
    case "m1":
      for (let i = 0; i < count; i++) {
        const value = (values[from + i] - 1) | 0;
        changed[i] = value;
        bits |= value;
      }
      break;
    case "d1":
      for (let i = 0; i < count; i++) {
        const value = values[from + i];
        const difference = (value - before) | 0;
        changed[i] = difference;
        bits |= difference;
        before = value;
      }
      break;
    case "d1z":
      for (let i = 0; i < count; i++) {
        const value = values[from + i];
        const difference = (value - before) | 0;
        const zigzag = (difference << 1) ^ (difference >> 31);
        changed[i] = zigzag;
        bits |= zigzag;
        before = value;
      }
      break;
    default:
      kind satisfies never;
  }
  return bits;
}

export class FallbackBp128Sums implements Bp128Sums {
  readonly indices = new FallbackBp128Page();
  readonly values = new FallbackBp128Page();
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
