/**
 * An array of unsigned 32-bit integers that is stored packed, in up to four arrays of any container. It can be read
 * like any other stored array, and is unpacked range by range.
 */

import type { ReadOptions } from "../../io/sources/source.js";
import { ChunkPositions, WRAP } from "../../kernels/bp128/chunk-positions.js";
import {
  type Bp128Kind,
  type Bp128Page,
  CHUNK,
  countChunks,
  hasStarts,
  PAGE_VALUES,
} from "../../kernels/bp128/page.js";
import { givePage, takePage } from "../../kernels/bp128/pages.js";
import { convertPointersToNumbers } from "../../kernels/sparse/indptr.js";
import { InvalidDataError, InvalidInputError, runWithLocation } from "../../model/errors.js";
import { type StoredType, type StoredValues, viewAsBytes } from "../../model/stored.js";
import type { ArrayPlan, Capabilities, StoredArray } from "../tree/container.js";
import { Bp128Reader, type PackedChunks } from "./bp128-reader.js";
import type { PackedIntegers, Unpacker } from "./packed-integers.js";
import { readWords } from "./prefetched-words.js";

/** The parts of a packed array. `offsets` are unsigned 64-bit integers, the other parts unsigned 32-bit integers. */
export interface Bp128Parts<A = StoredArray> {
  readonly data: A;
  readonly idx: A;
  /** Null for version 1, which does not use offsets. */
  readonly offsets: A | null;
  /** Null for packed kinds without starts. */
  readonly starts: A | null;
}

/** A packed array in serializable form. */
export interface Bp128ArrayPlan {
  readonly path: string;
  readonly kind: Bp128Kind;
  readonly count: number;
  readonly limit: number | null;
  readonly parts: Bp128Parts<ArrayPlan>;
}

declare module "../tree/container.js" {
  interface ArrayPlans {
    readonly packed: Bp128ArrayPlan;
  }
}

/** Properties of a packed array that are not stored in its parts. */
export interface Bp128Options extends ReadOptions {
  /** Every value must be less than `limit`. */
  readonly limit?: number;
}

const UINT32: StoredType = { kind: "int", bits: 32, signed: false };

/**
 * Opens the array of `count` values that is packed in `parts`. The lengths of the parts and both ends of `idx` are
 * checked now, and the chunks when they are read.
 * @param path the array's name in errors.
 * @throws {InvalidDataError} if the lengths do not fit together.
 */
export function openBp128Parts(
  path: string,
  kind: Bp128Kind,
  count: number,
  parts: Bp128Parts,
  options: Bp128Options = {},
): Promise<Bp128Array> {
  return runWithLocation({ element: path }, async () => {
    const chunks = countChunks(count);
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
    const entry = async (at: number) => (await readWords(idx, at, at + 1, options))[0];
    const [borders, first] = await Promise.all([offsets === null ? null : pointersOf(offsets, options), entry(0)]);
    const positions = new ChunkPositions(chunks, borders, words);
    if (first !== 0) throw new InvalidDataError(`idx begins with ${first} instead of 0`);
    positions.check(await Promise.all(positions.entriesToCheck.map(entry)));
    const { limit = null } = options;
    return new Bp128Array({ path, kind, count, limit, parts: { data, idx, offsets, starts } }, positions);
  });
}

/** Opens the array described by a plan, using its already opened parts. */
export async function openBp128Array(
  plan: Bp128ArrayPlan,
  open: (part: ArrayPlan) => Promise<StoredArray>,
): Promise<Bp128Array> {
  const { path, kind, count, limit } = plan;
  const { data, idx, offsets, starts } = plan.parts;
  const parts = {
    data: await open(data),
    idx: await open(idx),
    offsets: offsets === null ? null : await open(offsets),
    starts: starts === null ? null : await open(starts),
  };
  return openBp128Parts(path, kind, count, parts, { limit: limit ?? undefined });
}

export class Bp128Array implements StoredArray, PackedIntegers {
  readonly kind = "array";
  readonly path: string;
  readonly id: string;
  readonly attributes = new Map<string, never>();
  readonly type = UINT32;
  readonly shape: readonly [number];
  /** The array declares no chunks, because decoding a chunk of 128 values is faster than caching it. */
  readonly chunks = null;
  readonly limit: number | null;
  readonly plan?: ArrayPlan;
  readonly capabilities: Capabilities = { packed: this };
  readonly #packed: PackedChunks;
  /** The reader used for calls that do not supply a page. */
  readonly #reader: Bp128Reader;
  /**
   * The completion of the last read through `#reader`. Reads share the reader's memory, so each one waits for the
   * previous one.
   */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ path, kind, count, limit, parts }: Opened, positions: ChunkPositions) {
    const { data, idx, starts } = parts;
    this.path = path;
    this.id = path;
    this.shape = [count];
    this.#packed = { path, kind, limit, positions, data, idx, starts };
    this.#reader = new Bp128Reader(this.#packed);
    this.limit = limit;
    const plans = planOf(parts);
    if (plans !== null) {
      this.plan = { container: "packed", source: plans.data.source, array: { path, kind, count, limit, parts: plans } };
    }
  }

  async read(start: number, end: number, options: ReadOptions = {}): Promise<StoredValues> {
    this.check(start, end);
    const values = new Uint32Array(end - start);
    await this.#unpack(start, end, values, options);
    return { kind: "fixed", values };
  }

  async readInto(start: number, end: number, target: Uint8Array, options: ReadOptions = {}): Promise<void> {
    this.check(start, end);
    if (target.byteOffset % 4 === 0) {
      await this.#unpack(start, end, new Uint32Array(target.buffer, target.byteOffset, end - start), options);
      return;
    }
    const values = new Uint32Array(end - start);
    await this.#unpack(start, end, values, options);
    target.set(viewAsBytes(values));
  }

  unpacker(page: Bp128Page, until?: number): Unpacker {
    return new PageUnpacker(this, page, new Bp128Reader(this.#packed, page, until));
  }

  /** @throws {InvalidInputError} if the array does not contain these values. */
  check(start: number, end: number): void {
    const [count] = this.shape;
    if (start >= 0 && start <= end && end <= count) return;
    throw new InvalidInputError(`values ${start} to ${end} of ${count}`, { element: this.path });
  }

  async #unpack(start: number, end: number, out: Uint32Array, options: ReadOptions): Promise<void> {
    const own = this.#last.then(async () => {
      const page = await takePage();
      try {
        for (let at = start; at < end; ) {
          const base = at - (at % CHUNK);
          const stop = Math.min(end, base + PAGE_VALUES);
          if (!this.#reader.loadNow(page, at, stop)) await this.#reader.load(page, at, stop, options);
          out.set(page.values.subarray(at - base, stop - base), at - start);
          at = stop;
        }
        if (end === this.shape[0]) this.#reader.forget();
      } finally {
        givePage(page);
      }
    });
    this.#last = own.catch(() => undefined);
    await own;
  }
}

class PageUnpacker implements Unpacker {
  readonly #array: Bp128Array;
  readonly #page: Bp128Page;
  readonly #reader: Bp128Reader;

  constructor(array: Bp128Array, page: Bp128Page, reader: Bp128Reader) {
    this.#array = array;
    this.#page = page;
    this.#reader = reader;
  }

  load(start: number, end: number, options: ReadOptions = {}): Promise<void> {
    this.#array.check(start, end);
    return this.#reader.load(this.#page, start, end, options);
  }

  loadNow(start: number, end: number): boolean {
    this.#array.check(start, end);
    return this.#reader.loadNow(this.#page, start, end);
  }

  end(): Promise<void> {
    return this.#reader.end();
  }
}

interface Opened extends Omit<Bp128ArrayPlan, "parts"> {
  readonly parts: Bp128Parts;
}

/** Returns the parts in serializable form; null if a worker cannot open one of them. */
function planOf({ data, idx, offsets, starts }: Bp128Parts): Bp128Parts<ArrayPlan> | null {
  if (data.plan === undefined || idx.plan === undefined) return null;
  if (offsets?.plan === undefined && offsets !== null) return null;
  if (starts?.plan === undefined && starts !== null) return null;
  return { data: data.plan, idx: idx.plan, offsets: offsets?.plan ?? null, starts: starts?.plan ?? null };
}

function lengthOf(array: StoredArray): number {
  if (array.shape?.length === 1) return array.shape[0];
  throw new InvalidDataError(`an array of shape ${JSON.stringify(array.shape)}, not a list`, { element: array.path });
}

async function pointersOf(array: StoredArray, options: ReadOptions): Promise<Float64Array> {
  const read = await array.read(0, lengthOf(array), options);
  if (read.kind === "fixed" && !(read.values instanceof Float32Array || read.values instanceof Float64Array)) {
    return convertPointersToNumbers(read.values);
  }
  throw new InvalidDataError("not integers", { element: array.path });
}
