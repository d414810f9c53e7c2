import { ChunkPositions } from "../../../src/kernels/bp128/chunk-positions.js";
import {
  type Bp128Kind,
  type Bp128Page,
  CHUNK,
  countChunks,
  hasStarts,
  PAGE_CHUNKS,
} from "../../../src/kernels/bp128/page.js";
import { unpackPage } from "../../../src/kernels/bp128/unpack-page.js";
import { InvalidDataError, InvalidInputError } from "../../../src/model/errors.js";

/** The stored arrays of a packed array: `<name>_data`, `<name>_idx`, `<name>_idx_offsets` and `<name>_starts`. */
export interface PackedParts {
  readonly data: Uint32Array;
  readonly idx: Uint32Array;
  /** Null for version 1, which has no offsets. */
  readonly offsets: ArrayLike<number | bigint> | null;
  /** Null for the kinds without starts. */
  readonly starts: Uint32Array | null;
}

export class PackedArray {
  readonly kind: Bp128Kind;
  readonly count: number;
  readonly #parts: PackedParts;
  readonly #positions: ChunkPositions;

  /**
   * @param count the number of values in the array.
   * @throws {InvalidDataError} where the lengths do not fit together, or `idx` does not end where `data` does.
   */
  constructor(kind: Bp128Kind, count: number, parts: PackedParts) {
    const chunks = countChunks(count);
    const { data, idx, offsets, starts } = parts;
    if (idx.length !== chunks + 1) {
      throw new InvalidDataError(`idx has ${idx.length} entries, ${count} values have ${chunks + 1}`);
    }
    const expected = hasStarts(kind) ? chunks : 0;
    if (expected > 0 && starts?.length !== expected) {
      throw new InvalidDataError(`starts has ${starts?.length ?? "no"} entries, ${count} values have ${expected}`);
    }
    const positions = new ChunkPositions(chunks, offsets, data.length);
    if (idx[0] !== 0) throw new InvalidDataError(`idx begins with ${idx[0]} instead of 0`);
    positions.check(positions.entriesToCheck.map((entry) => idx[entry]));
    this.kind = kind;
    this.count = count;
    this.#parts = parts;
    this.#positions = positions;
  }

  /**
   * Unpacks chunks to the start of the page's `values`.
   * @throws {InvalidDataError} where a chunk has an impossible width.
   */
  load(page: Bp128Page, first: number, chunks: number): void {
    const { data, idx, starts } = this.#parts;
    const entries = idx.subarray(first, first + chunks + 1);
    const { from, to } = this.#positions.words(first, entries);
    page.idx.set(entries);
    page.data.set(data.subarray(from, to));
    if (starts !== null && hasStarts(this.kind)) page.starts.set(starts.subarray(first, first + chunks));
    unpackPage(page, this.kind, chunks, to - from, first);
  }

  /**
   * Writes the values [from, to) to `out` from `at` on.
   * @throws {InvalidDataError} where one of their chunks has an impossible width.
   */
  read(page: Bp128Page, from: number, to: number, out: Uint32Array, at = 0): void {
    if (!(from >= 0 && from <= to && to <= this.count)) {
      throw new InvalidInputError(`values ${from} to ${to} of an array of ${this.count}`);
    }
    if (!(at >= 0 && at + to - from <= out.length)) {
      throw new InvalidInputError(`${to - from} values at ${at} of ${out.length}`);
    }
    const end = countChunks(to);
    for (let first = Math.floor(from / CHUNK); first < end; first += PAGE_CHUNKS) {
      const chunks = Math.min(PAGE_CHUNKS, end - first);
      this.load(page, first, chunks);
      const begin = Math.max(from, first * CHUNK);
      const stop = Math.min(to, (first + chunks) * CHUNK);
      out.set(page.values.subarray(begin - first * CHUNK, stop - first * CHUNK), at + begin - from);
    }
  }
}
