/**
 * An array of unsigned 32-bit integers that is stored packed, in up to four arrays of any container: a stored array
 * like any other, unpacked range by range.
 */

import { InvalidDataError, InvalidInputError, located } from "../errors.js";
import { ChunkPositions, WRAP } from "../kernels/bp128/chunk-positions.js";
import { type Bp128Kind, type Bp128Page, CHUNK, chunkCount, hasStarts, PAGE_CHUNKS } from "../kernels/bp128/page.js";
import { bp128Pages } from "../kernels/bp128/pages.js";
import { unpackPage } from "../kernels/bp128/unpack-page.js";
import { pointersToNumbers } from "../kernels/indptr.js";
import type { ReadOptions } from "../sources/source.js";
import { bytesOf, type StoredType, type StoredValues } from "../stored.js";
import type { StoredArray } from "./container.js";
import { readWords, WordWindow } from "./word-window.js";

/** The parts of a packed array; all but `offsets` (unsigned 64-bit integers) hold unsigned 32-bit integers. */
export interface Bp128Parts {
  readonly data: StoredArray;
  readonly idx: StoredArray;
  /** Null for version 1, which has none. */
  readonly offsets: StoredArray | null;
  /** Null for kinds that have none. */
  readonly starts: StoredArray | null;
}

/** Chunks whose packed words lie in memory at once, 4 MiB at most. */
const BLOCK_CHUNKS = 16 * PAGE_CHUNKS;

const UINT32: StoredType = { kind: "int", bits: 32, signed: false };

/** All arrays unpack on one page: nothing waits while it is in use. */
let page: Promise<Bp128Page> | undefined;

function sharedPage(): Promise<Bp128Page> {
  page ??= bp128Pages(1).then(([first]) => first);
  return page;
}

/**
 * The array of `count` values that is packed in `parts`. Their lengths and both ends of `idx` are checked here, the
 * chunks when they are read.
 * @param path what errors call it.
 * @throws {InvalidDataError} where the lengths do not fit together.
 */
export function bp128Array(
  path: string,
  kind: Bp128Kind,
  count: number,
  parts: Bp128Parts,
  options: ReadOptions = {},
): Promise<StoredArray> {
  return located({ element: path }, async () => {
    const chunks = chunkCount(count);
    const { data, idx, offsets } = parts;
    const starts = hasStarts(kind) ? parts.starts : null;
    const words = lengthOf(data);
    if (lengthOf(idx) !== chunks + 1) {
      throw new InvalidDataError(`idx has ${lengthOf(idx)} entries, ${count} values have ${chunks + 1}`);
    }
    if (hasStarts(kind) && (starts === null || lengthOf(starts) !== chunks)) {
      const found = starts === null ? "no" : lengthOf(starts);
      throw new InvalidDataError(`starts has ${found} entries, ${count} values have ${chunks}`);
    }
    if (offsets !== null && lengthOf(offsets) > 2 + Math.floor(words / WRAP)) {
      throw new InvalidDataError(`${lengthOf(offsets)} idx_offsets for ${words} words`);
    }
    const borders = offsets === null ? null : await pointersOf(offsets, options);
    const positions = new ChunkPositions(chunks, borders, words);
    const entry = async (at: number) => (await readWords(idx, at, at + 1, options))[0];
    const first = await entry(0);
    if (first !== 0) throw new InvalidDataError(`idx begins with ${first} instead of 0`);
    const checked: number[] = [];
    for (const at of positions.entriesToCheck) checked.push(await entry(at));
    positions.check(checked);
    return new Bp128Array(path, kind, count, { data, idx, starts }, positions);
  });
}

class Bp128Array implements StoredArray {
  readonly kind = "array";
  readonly path: string;
  readonly id: string;
  readonly attributes = new Map<string, never>();
  readonly type = UINT32;
  readonly shape: readonly [number];
  /** A chunk of 128 values is decoded in less time than its neighbours' values are kept. */
  readonly chunks = null;
  readonly #kind: Bp128Kind;
  readonly #data: WordWindow;
  readonly #idx: WordWindow;
  readonly #starts: WordWindow | undefined;
  readonly #positions: ChunkPositions;

  constructor(
    path: string,
    kind: Bp128Kind,
    count: number,
    parts: Omit<Bp128Parts, "offsets">,
    positions: ChunkPositions,
  ) {
    this.path = path;
    this.id = path;
    this.shape = [count];
    this.#kind = kind;
    this.#data = new WordWindow(parts.data);
    this.#idx = new WordWindow(parts.idx);
    if (parts.starts !== null) this.#starts = new WordWindow(parts.starts);
    this.#positions = positions;
  }

  async read(start: number, end: number, options: ReadOptions = {}): Promise<StoredValues> {
    this.#check(start, end);
    const values = new Uint32Array(end - start);
    await this.#unpack(start, end, values, options);
    return { kind: "fixed", values };
  }

  async readInto(start: number, end: number, target: Uint8Array, options: ReadOptions = {}): Promise<void> {
    this.#check(start, end);
    if (target.byteOffset % 4 === 0) {
      await this.#unpack(start, end, new Uint32Array(target.buffer, target.byteOffset, end - start), options);
      return;
    }
    const values = new Uint32Array(end - start);
    await this.#unpack(start, end, values, options);
    target.set(bytesOf(values));
  }

  #check(start: number, end: number): void {
    const [count] = this.shape;
    if (start >= 0 && start <= end && end <= count) return;
    throw new InvalidInputError(`values ${start} to ${end} of ${count}`, { element: this.path });
  }

  #unpack(start: number, end: number, out: Uint32Array, options: ReadOptions): Promise<void> {
    return located({ element: this.path }, async () => {
      const stop = chunkCount(end);
      for (let first = Math.floor(start / CHUNK); first < stop && start < end; first += BLOCK_CHUNKS) {
        options.signal?.throwIfAborted();
        await this.#block(first, Math.min(BLOCK_CHUNKS, stop - first), { start, end, out }, options);
      }
    });
  }

  async #block(first: number, chunks: number, wanted: Wanted, options: ReadOptions): Promise<void> {
    const [unpacked, entries, begins] = await Promise.all([
      sharedPage(),
      this.#idx.read(first, first + chunks + 1, options),
      this.#starts?.read(first, first + chunks, options),
    ]);
    const block = this.#positions.words(first, entries);
    const words = await this.#data.read(block.from, block.to, options);
    const { start, end, out } = wanted;
    for (let at = 0; at < chunks; at += PAGE_CHUNKS) {
      const count = Math.min(PAGE_CHUNKS, chunks - at);
      const own = entries.subarray(at, at + count + 1);
      const { from, to } = this.#positions.words(first + at, own);
      unpacked.idx.set(own);
      unpacked.data.set(words.subarray(from - block.from, to - block.from));
      if (begins !== undefined) unpacked.starts.set(begins.subarray(at, at + count));
      unpackPage(unpacked, this.#kind, count, to - from, first + at);
      const base = (first + at) * CHUNK;
      const begin = Math.max(start, base);
      const stop = Math.min(end, base + count * CHUNK);
      out.set(unpacked.values.subarray(begin - base, stop - base), begin - start);
    }
  }
}

/** The values [start, end) are asked for, in `out`. */
interface Wanted {
  readonly start: number;
  readonly end: number;
  readonly out: Uint32Array;
}

function lengthOf(array: StoredArray): number {
  if (array.shape?.length === 1) return array.shape[0];
  throw new InvalidDataError(`an array of shape ${JSON.stringify(array.shape)}, not a list`, { element: array.path });
}

async function pointersOf(array: StoredArray, options: ReadOptions): Promise<Float64Array> {
  const read = await array.read(0, lengthOf(array), options);
  if (read.kind === "fixed" && !(read.values instanceof Float32Array || read.values instanceof Float64Array)) {
    return pointersToNumbers(read.values);
  }
  throw new InvalidDataError("not integers", { element: array.path });
}
