/**
 * The Parquet encoder's kernels in WebAssembly. A page is copied in, and the returned body is a view of the module's
 * memory.
 */

import { InvalidInputError } from "../../model/errors.js";
import { findLastPointerAtMost } from "../sparse/indptr.js";
import { instantiateKernel, type Kernel } from "../wasm/instantiate.js";
import { WASM } from "../wasm/parquet.wasm.js";
import { MAX_ENTRIES } from "./dictionary.js";
import {
  type EncodedPage,
  type IntegerOrder,
  MAX_PAGE_VALUES,
  type PageDictionary,
  type ParquetKernels,
} from "./parquet-kernels.js";
import { toFloatRange, type ValueRange, type WordOrder } from "./statistics.js";

const FUNCTIONS = [
  "input",
  "output",
  "entries",
  "range",
  "rowEnds",
  "delta32",
  "delta64",
  "deltaRows",
  "range32",
  "range64",
  "rangeFloat32",
  "rangeFloat64",
  "reset",
  "index",
  "indexPage",
  "entryCount",
  "hybrid16",
  "hybrid32",
] as const;

type Module = Kernel<(typeof FUNCTIONS)[number]>;

/** The sign bit, which the module flips in unsigned integers to order them like signed integers. */
const SIGN = -(2 ** 31);

/** Makes kernels for one encoder, with 4 MiB of memory. */
export async function createParquetKernels(): Promise<ParquetKernels> {
  return new WasmKernels(await instantiateKernel(WASM, FUNCTIONS));
}

class WasmKernels implements ParquetKernels {
  readonly dictionary: PageDictionary;
  readonly #module: Module;
  readonly #memory: PageMemory;

  constructor(module: Module) {
    this.#module = module;
    this.#memory = new PageMemory(module);
    this.dictionary = new WasmDictionary(module, this.#memory);
  }

  delta(words: Int32Array, order: IntegerOrder): EncodedPage {
    const { delta32, delta64 } = this.#module.functions;
    const wide = order === "int64" || order === "uint64";
    const count = this.#memory.load(words, wide ? 2 : 1);
    const bias = order === "uint32" || order === "uint64" ? SIGN : 0;
    const body = this.#memory.body(wide ? delta64(count, bias) : delta32(count, bias));
    return { body, range: count === 0 ? null : this.#memory.range(order) };
  }

  deltaRows(pointers: Float64Array | Int32Array, first: number, from: number, to: number): EncodedPage {
    const count = checkedCount(to - from);
    const { rows } = this.#memory.rows;
    const found = computeRowEnds(pointers, first, from, to, this.#memory.rows);
    const range = count === 0 ? null : { least: rows[0], greatest: rows[found - 1] };
    return { body: this.#memory.body(this.#module.functions.deltaRows(count)), range };
  }

  hybrid(indices: Uint16Array | Int32Array, width: number): Uint8Array {
    const { hybrid16, hybrid32 } = this.#module.functions;
    if (indices instanceof Int32Array) {
      return this.#memory.body(hybrid32(this.#memory.load(indices, 1), width));
    }
    return this.#memory.body(hybrid16(this.#memory.loadIndices(indices), width));
  }

  range(words: Int32Array, order: WordOrder): ValueRange | null {
    const { range32, range64, rangeFloat32, rangeFloat64 } = this.#module.functions;
    if (words.length === 0) return null;
    const count = this.#memory.load(words, order === "int64" || order === "uint64" || order === "float64" ? 2 : 1);
    switch (order) {
      case "int32":
      case "uint32":
        range32(count, order === "uint32" ? SIGN : 0);
        break;
      case "int64":
      case "uint64":
        range64(count, order === "uint64" ? SIGN : 0);
        break;
      case "float32":
        rangeFloat32(count);
        break;
      case "float64":
        rangeFloat64(count);
        break;
      default:
        order satisfies never;
    }
    return this.#memory.range(order);
  }
}

class WasmDictionary implements PageDictionary {
  readonly #module: Module;
  readonly #memory: PageMemory;
  #wordsPerValue: 1 | 2 = 1;
  #values = 0;

  constructor(module: Module, memory: PageMemory) {
    this.#module = module;
    this.#memory = memory;
    this.reset(1, 0);
  }

  get size(): number {
    return this.#module.functions.entryCount();
  }

  reset(wordsPerValue: 1 | 2, values: number): void {
    this.#wordsPerValue = wordsPerValue;
    this.#values = 0;
    const seed = Math.floor(Math.random() * 2 ** 32);
    this.#module.functions.reset(wordsPerValue, Math.min(values >> 1, MAX_ENTRIES), seed);
  }

  index(words: Int32Array): boolean {
    this.#values = this.#memory.load(words, this.#wordsPerValue);
    return this.#module.functions.index(this.#values) === 1;
  }

  page(): Uint8Array {
    return this.#memory.body(this.#module.functions.indexPage(this.#values));
  }

  words(): Int32Array {
    return this.#memory.entries.slice(0, this.size * this.#wordsPerValue);
  }
}

/** The regions of the module's memory. The memory never grows, so views of it stay valid. */
class PageMemory {
  readonly rows: { readonly rows: Int32Array; readonly ends: Int32Array };
  readonly entries: Int32Array;
  readonly #words: Int32Array;
  readonly #indices: Uint16Array;
  readonly #output: Uint8Array;
  readonly #range: ArrayBuffer;
  readonly #rangeAt: number;

  constructor({ memory: { buffer }, functions }: Module) {
    const input = functions.input();
    this.#words = new Int32Array(buffer, input, 2 * MAX_PAGE_VALUES);
    this.#indices = new Uint16Array(buffer, input, MAX_PAGE_VALUES);
    this.rows = {
      rows: new Int32Array(buffer, input, MAX_PAGE_VALUES),
      ends: new Int32Array(buffer, functions.rowEnds(), MAX_PAGE_VALUES),
    };
    this.entries = new Int32Array(buffer, functions.entries(), 2 * MAX_ENTRIES);
    this.#output = new Uint8Array(buffer, functions.output());
    this.#range = buffer;
    this.#rangeAt = functions.range();
  }

  /** Copies a page into the memory. Returns the number of its values. */
  load(words: Int32Array, wordsPerValue: 1 | 2): number {
    const count = checkedCount(words.length / wordsPerValue);
    this.#words.set(words);
    return count;
  }

  loadIndices(indices: Uint16Array): number {
    const count = checkedCount(indices.length);
    this.#indices.set(indices);
    return count;
  }

  body(length: number): Uint8Array {
    return this.#output.subarray(0, length);
  }

  /** Reads the range that the module has found. Returns null if all floats are NaN. */
  range(order: WordOrder): ValueRange | null {
    const view = new DataView(this.#range, this.#rangeAt, 16);
    switch (order) {
      case "int32":
        return { least: view.getInt32(0, true), greatest: view.getInt32(8, true) };
      case "uint32":
        return { least: view.getUint32(0, true), greatest: view.getUint32(8, true) };
      case "int64":
        return { least: view.getBigInt64(0, true), greatest: view.getBigInt64(8, true) };
      case "uint64":
        return { least: view.getBigUint64(0, true), greatest: view.getBigUint64(8, true) };
      case "float32":
        return toFloatRange(view.getFloat32(0, true), view.getFloat32(8, true));
      case "float64":
        return toFloatRange(view.getFloat64(0, true), view.getFloat64(8, true));
      default:
        return order satisfies never;
    }
  }
}

/** Checks that a page has no more values than the memory has room for. */
function checkedCount(count: number): number {
  if (count > MAX_PAGE_VALUES) {
    throw new InvalidInputError(`a page has at most ${MAX_PAGE_VALUES} values, there are ${count}`);
  }
  return count;
}

/**
 * The major positions with entries in the page and, for each of them, the number of the page's entries up to its end.
 */
export interface RowEnds {
  readonly rows: Int32Array;
  readonly ends: Int32Array;
}

/**
 * Writes the major positions with entries in [from, to), and the ends of their entries, counted from `from`.
 * @param pointers the pointers of the major positions first, first + 1, …, and the end of the last position;
 * pointers[0] <= from, and to <= the last pointer.
 * @returns the number of major positions written.
 */
export function computeRowEnds(
  pointers: Float64Array | Int32Array,
  first: number,
  from: number,
  to: number,
  { rows, ends }: RowEnds,
): number {
  let count = 0;
  let end = from;
  for (let major = findLastPointerAtMost(pointers, from); end < to; major++) {
    const next = Math.min(pointers[major + 1], to);
    if (next === end) continue;
    rows[count] = first + major;
    ends[count] = next - from;
    count++;
    end = next;
  }
  return count;
}
