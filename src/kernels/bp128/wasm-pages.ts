/** The WebAssembly kernels of assembly/bp128.ts for BP-128. */

import { findLastPointerAtMost } from "../sparse/indptr.js";
import { WASM } from "../wasm/bp128.wasm.js";
import { ensureMemory, instantiateKernel, type Kernel } from "../wasm/instantiate.js";
import {
  type Bp128Kind,
  type Bp128Page,
  type Bp128Sums,
  PAGE_BEGIN,
  PAGE_ENTRIES,
  PAGE_VALUES,
  PAGE_WORDS,
} from "./page.js";

const FUNCTIONS = [
  ...(["start", "add", "addAt", "expand", "falls", "greatest", "sum", "survey", "toFloats", "wholeFloats"] as const),
  ...(["unpackPlain", "unpackM1", "unpackD1", "unpackD1z"] as const),
  ...(["packPlain", "packM1", "packD1", "packD1z"] as const),
];

type Module = Kernel<(typeof FUNCTIONS)[number]>;

const UNPACK = { plain: "unpackPlain", m1: "unpackM1", d1: "unpackD1", d1z: "unpackD1z" } as const;
const PACK = { plain: "packPlain", m1: "packM1", d1: "packD1", d1z: "packD1z" } as const;

// Bytes of a page's arrays. The kernel reads up to one vector past the words, and writes up to one vector past the
// values.
const DATA = 4 * PAGE_WORDS + 64;
const IDX = 4 * PAGE_ENTRIES;
const STARTS = 4 * PAGE_ENTRIES;
const VALUES = 4 * PAGE_VALUES + 64;
const PAGE = DATA + IDX + STARTS + VALUES;

/** Maximum number of pointers in a page at once. The pointers use the memory of the page's words. */
const POINTERS = PAGE_WORDS / 2;

/** Minimum number of values to sum in WebAssembly. Fewer values are summed in JavaScript. */
const LEAST_TO_SUM = 32;

/**
 * Creates new pages, one for each array that is read or written at the same time. A page takes 6 MiB, or less if little
 * of it is used. The pages share one memory, which never grows.
 */
export async function createBp128Pages(count: number): Promise<Bp128Page[]> {
  const module = await instantiateKernel(WASM, FUNCTIONS);
  const start = module.functions.start();
  ensureMemory(module.memory, start + count * PAGE);
  return Array.from({ length: count }, (_, i) => new WasmPage(module, start + i * PAGE));
}

/** Creates two pages, followed by `count` sums of 0, in one memory. */
export async function createWasmSums(count: number): Promise<Bp128Sums> {
  return new WasmSums(await instantiateKernel(WASM, FUNCTIONS), count);
}

class WasmPage implements Bp128Page {
  readonly data: Uint32Array;
  readonly idx: Uint32Array;
  readonly starts: Uint32Array;
  readonly values: Uint32Array;
  readonly #functions: Module["functions"];

  constructor({ memory: { buffer }, functions }: Module, at: number) {
    this.#functions = functions;
    this.data = new Uint32Array(buffer, at, PAGE_WORDS);
    this.idx = new Uint32Array(buffer, at + DATA, PAGE_ENTRIES);
    this.starts = new Uint32Array(buffer, at + DATA + IDX, PAGE_ENTRIES);
    this.values = new Uint32Array(buffer, at + DATA + IDX + STARTS, PAGE_VALUES);
  }

  unpack(kind: Bp128Kind, chunks: number, place = PAGE_BEGIN): number {
    const { data, idx, starts, values } = this;
    const unpack = this.#functions[UNPACK[kind]];
    return unpack(
      data.byteOffset + 4 * place.data,
      idx.byteOffset + 4 * place.idx,
      starts.byteOffset + 4 * place.starts,
      values.byteOffset,
      chunks,
    );
  }

  pack(kind: Bp128Kind, chunks: number, position: number): number {
    const { data, idx, starts, values } = this;
    const pack = this.#functions[PACK[kind]];
    return pack(values.byteOffset, data.byteOffset, idx.byteOffset, starts.byteOffset, chunks, position);
  }

  add(other: Bp128Page, count: number): void {
    const { values } = this;
    if (other.values.buffer === values.buffer) {
      this.#functions.add(values.byteOffset, other.values.byteOffset, count);
    } else {
      for (let i = 0; i < count; i++) values[i] += other.values[i];
    }
  }

  wholeFloats(from: number, count: number): number {
    return this.#functions.wholeFloats(this.values.byteOffset + 4 * from, count);
  }

  falls(count: number): boolean {
    return this.#functions.falls(this.values.byteOffset, count) !== 0;
  }

  survey(from: number, count: number, limit: number): number {
    return this.#functions.survey(this.values.byteOffset + 4 * from, count, limit);
  }

  sum(from: number, to: number): number {
    const { values } = this;
    if (to - from >= LEAST_TO_SUM) return this.#functions.sum(values.byteOffset + 4 * from, to - from);
    let sum = 0;
    for (let i = from; i < to; i++) sum += values[i];
    return sum;
  }

  expand(pointers: Float64Array, first: number, start: number, end: number, at: number): void {
    const { data, values } = this;
    const memory = new Float64Array(data.buffer, data.byteOffset, POINTERS);
    const behind = findLastPointerAtMost(pointers, end - 1) + 2;
    let major = findLastPointerAtMost(pointers, start);
    for (let from = start; from < end; ) {
      const part = pointers.subarray(major, Math.min(behind, major + POINTERS));
      const majors = part.length - 1;
      const to = Math.min(end, part[majors]);
      memory.set(part);
      const out = values.byteOffset + 4 * (at + from - start);
      this.#functions.expand(data.byteOffset, majors, first + major, from, to, out);
      from = to;
      major += majors;
    }
  }

  greatest(count: number): number {
    const vectors = count - (count % 4);
    // WebAssembly returns a signed number.
    let greatest = this.#functions.greatest(this.values.byteOffset, vectors) >>> 0;
    for (let i = vectors; i < count; i++) greatest = Math.max(greatest, this.values[i]);
    return greatest;
  }
}

class WasmSums implements Bp128Sums {
  readonly indices: WasmPage;
  readonly values: WasmPage;
  readonly count: number;
  readonly #functions: Module["functions"];
  /** Contains 64-bit integers until `take` converts them to doubles. */
  readonly #sums: Float64Array;

  constructor(module: Module, count: number) {
    const { memory, functions } = module;
    const start = functions.start();
    const end = start + 2 * PAGE;
    ensureMemory(memory, end + 8 * count);
    this.indices = new WasmPage(module, start);
    this.values = new WasmPage(module, start + PAGE);
    this.count = count;
    this.#functions = functions;
    this.#sums = new Float64Array(memory.buffer, end, count);
  }

  add(from: number, to: number): void {
    const [indices, values] = [this.indices, this.values].map((page) => page.values.byteOffset + 4 * from);
    this.#functions.addAt(this.#sums.byteOffset, indices, values, to - from);
  }

  take(): Float64Array<ArrayBuffer> {
    const sums = this.#sums;
    this.#functions.toFloats(sums.byteOffset, this.count);
    const taken = sums.slice();
    sums.fill(0);
    return taken;
  }
}
