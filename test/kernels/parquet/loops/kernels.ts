/** The kernels of the Parquet encoder as loops in JavaScript, which give the bytes of those in WebAssembly. */

import { indexWidth } from "../../../../src/kernels/parquet/dictionary.js";
import { PageBuffer } from "../../../../src/kernels/parquet/page-buffer.js";
import type {
  EncodedPage,
  IntegerOrder,
  PageDictionary,
  ParquetKernels,
} from "../../../../src/kernels/parquet/parquet-kernels.js";
import type { ValueRange, WordOrder } from "../../../../src/kernels/parquet/statistics.js";
import { computeRowEnds, type RowEnds } from "../../../../src/kernels/parquet/wasm-kernels.js";
import { encodeDeltaInt32, encodeDeltaInt64 } from "./delta-binary-packed.js";
import { encodeDeltaRowEnds } from "./delta-rows.js";
import { Dictionary } from "./dictionary.js";
import { encodeHybrid } from "./rle.js";
import { findValueRange } from "./value-range.js";

export function createLoopKernels(): ParquetKernels {
  return new LoopKernels();
}

class LoopKernels implements ParquetKernels {
  readonly #page = new PageBuffer(2 ** 16);
  readonly dictionary: PageDictionary = new LoopDictionary(this.#page);
  #rowEnds: RowEnds = rowEndsOf(0);

  delta(words: Int32Array, order: IntegerOrder): EncodedPage {
    this.#page.clear();
    if (order === "int64" || order === "uint64") encodeDeltaInt64(words, this.#page);
    else encodeDeltaInt32(words, this.#page);
    return { body: this.#page.written(), range: findValueRange(words, order) };
  }

  deltaRows(pointers: Float64Array | Int32Array, first: number, from: number, to: number): EncodedPage {
    const count = to - from;
    if (this.#rowEnds.rows.length < count) this.#rowEnds = rowEndsOf(count);
    const found = computeRowEnds(pointers, first, from, to, this.#rowEnds);
    this.#page.clear();
    encodeDeltaRowEnds(count, this.#rowEnds, this.#page);
    const { rows } = this.#rowEnds;
    return { body: this.#page.written(), range: count === 0 ? null : { least: rows[0], greatest: rows[found - 1] } };
  }

  hybrid(indices: Uint16Array | Int32Array, width: number): Uint8Array {
    // The encoder overwrites the memory behind the last index.
    const padded = indices instanceof Int32Array ? new Int32Array(indices.length + 7) : paddedIndices(indices.length);
    padded.set(indices);
    this.#page.clear();
    encodeHybrid(padded, indices.length, width, this.#page);
    return this.#page.written();
  }

  range(words: Int32Array, order: WordOrder): ValueRange | null {
    return findValueRange(words, order);
  }
}

class LoopDictionary implements PageDictionary {
  readonly #page: PageBuffer;
  readonly #dictionary = new Dictionary();
  #indices = new Uint16Array(0);
  #wordsPerValue: 1 | 2 = 1;
  #values = 0;

  constructor(page: PageBuffer) {
    this.#page = page;
  }

  get size(): number {
    return this.#dictionary.size;
  }

  reset(wordsPerValue: 1 | 2, values: number): void {
    this.#wordsPerValue = wordsPerValue;
    this.#dictionary.reset(wordsPerValue, values);
  }

  index(words: Int32Array): boolean {
    this.#values = words.length / this.#wordsPerValue;
    if (this.#indices.length < this.#values + 7) this.#indices = paddedIndices(this.#values);
    return this.#dictionary.index(words, this.#indices);
  }

  page(): Uint8Array {
    const width = indexWidth(this.size);
    this.#page.clear();
    this.#page.byte(width);
    encodeHybrid(this.#indices, this.#values, width, this.#page);
    return this.#page.written();
  }

  words(): Int32Array {
    return this.#dictionary.words();
  }
}

function rowEndsOf(count: number): RowEnds {
  return { rows: new Int32Array(count), ends: new Int32Array(count) };
}

function paddedIndices(count: number): Uint16Array<ArrayBuffer> {
  return new Uint16Array(count + 7);
}
