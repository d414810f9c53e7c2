import { product, type StoredValues } from "../../../model/stored.js";
import type { Band } from "./band.js";
import { checkCount } from "./item-bytes.js";
import { checkText } from "./utf32-bytes.js";

export interface VariableBandOptions {
  readonly isText: boolean;
  readonly rest: readonly number[];
  readonly chunkRows: number;
  /** Whether chunks may have fewer rows: then the first one is full at this size, so that long texts fit. */
  readonly flexible: boolean;
  readonly fullBytes: number;
  /** Whether a chunk of nothing but empty items is kept. */
  readonly keepsEmpty: boolean;
  readonly memory: (bytes: number) => Uint8Array<ArrayBuffer>;
}

/**
 * A chunk of texts or bytes in the form of `vlen-utf8` and `vlen-bytes`: the number of items, then each item's length
 * (u32, little-endian) and bytes. Items that fill it up are empty. A chunk has whole rows.
 */
export class VariableBand implements Band {
  rows = 0;
  chunkRows: number;
  readonly #options: VariableBandOptions;
  readonly #rowItems: number;
  #flexible: boolean;
  /** Lengths and bytes of the items that are there. */
  #items = new Uint8Array(1024);
  #end = 0;
  #isEmpty = true;

  constructor(options: VariableBandOptions) {
    this.#options = options;
    this.#rowItems = product(options.rest);
    this.#flexible = options.flexible;
    this.chunkRows = options.chunkRows;
  }

  get isFull(): boolean {
    return this.rows === this.chunkRows || (this.#flexible && this.#end >= this.#options.fullBytes);
  }

  get bytes(): number {
    return 4 + this.#end;
  }

  source(values: StoredValues, rows: number): (from: number) => number {
    if (values.kind !== "variable") throw new TypeError(`${values.kind} values, the array's are variable`);
    const { offsets, bytes } = values;
    checkCount(offsets.length - 1, rows * this.#rowItems);
    if (this.#options.isText) checkText(offsets, bytes);
    return (from) => {
      let row = from;
      while (row < rows && !this.isFull) {
        this.#copy(offsets, bytes, row * this.#rowItems, (row + 1) * this.#rowItems);
        row++;
        this.rows++;
      }
      return row - from;
    };
  }

  #copy(offsets: Int32Array, bytes: Uint8Array, first: number, last: number): void {
    const length = offsets[last] - offsets[first];
    const end = this.#end + 4 * (last - first) + length;
    if (end > this.#items.length) {
      const items = new Uint8Array(Math.max(end, 2 * this.#items.length));
      items.set(this.#items.subarray(0, this.#end));
      this.#items = items;
    }
    if (length > 0) this.#isEmpty = false;
    const items = this.#items;
    let at = this.#end;
    for (let i = first; i < last; i++) {
      const start = offsets[i];
      const size = offsets[i + 1] - start;
      items[at] = size;
      items[at + 1] = size >> 8;
      items[at + 2] = size >> 16;
      items[at + 3] = size >> 24;
      at += 4;
      if (size < 32) for (let byte = 0; byte < size; byte++) items[at + byte] = bytes[start + byte];
      else items.set(bytes.subarray(start, start + size), at);
      at += size;
    }
    this.#end = at;
  }

  settle(isLast: boolean): void {
    if (this.#flexible && (isLast || this.isFull)) this.chunkRows = Math.max(1, this.rows);
    this.#flexible = false;
  }

  take(): (Uint8Array<ArrayBuffer> | null)[] {
    const count = this.chunkRows * this.#rowItems;
    const missing = count - this.rows * this.#rowItems;
    const end = this.#end;
    const isEmpty = this.#isEmpty;
    this.rows = 0;
    this.#end = 0;
    this.#isEmpty = true;
    if (this.#rowItems === 0) return [];
    if (isEmpty && !this.#options.keepsEmpty) return [null];
    const chunk = this.#options.memory(4 + end + 4 * missing);
    new DataView(chunk.buffer, chunk.byteOffset).setUint32(0, count, true);
    chunk.set(this.#items.subarray(0, end), 4);
    chunk.fill(0, 4 + end);
    return [chunk];
  }
}
