/** Concatenates stored arrays along the first dimension, as one array. */

import { joinValues } from "../../kernels/values/join-values.js";
import { countElements, type StoredType, type StoredValues, viewAsBytes } from "../../model/stored.js";
import type { ReadOptions } from "../../sources/source.js";
import { encodeRowsAsChunk, findChunkEncoding, readShiftedChunks } from "../picked/encoded-rows.js";
import { checkRows } from "../picked/row-ranges.js";
import type { Capabilities, StoredArray } from "../tree/container.js";
import {
  areOneNumber,
  computeGridShape,
  type FoundChunks,
  type StoredChunkBatch,
  type StoredChunks,
} from "../tree/stored-chunks.js";

/** Joins arrays of numbers; null where their types or the shapes of their rows differ. */
export function joinArrays(arrays: readonly StoredArray[]): StoredArray | null {
  const [{ type, shape }] = arrays;
  const rest = shape?.slice(1).join();
  const fit = arrays.every((one) => areOneNumber(type, one.type) && one.shape && one.shape.length > 0);
  return fit && arrays.every((one) => one.shape?.slice(1).join() === rest) ? new JoinedArray(arrays) : null;
}

class JoinedArray implements StoredArray {
  readonly kind = "array";
  readonly path: string;
  readonly id: string;
  readonly attributes: StoredArray["attributes"] = new Map();
  readonly type: StoredType;
  readonly shape: readonly number[];
  readonly chunks: StoredArray["chunks"];
  readonly capabilities?: Capabilities;
  readonly #parts: readonly JoinedPart[];

  constructor(arrays: readonly StoredArray[]) {
    const [first] = arrays;
    this.path = first.path;
    this.id = `${first.id}+${arrays.length - 1}`;
    this.type = first.type;
    let rows = 0;
    this.#parts = arrays.map((array) => {
      const part = { array, start: rows, rows: array.shape?.[0] ?? 0 };
      rows += part.rows;
      return part;
    });
    this.shape = [rows, ...(first.shape ?? []).slice(1)];
    this.chunks = first.chunks;
    const storedChunks = joinStoredChunks(this, this.#parts);
    if (storedChunks !== null) this.capabilities = { storedChunks };
  }

  async read(start: number, end: number, options: ReadOptions = {}): Promise<StoredValues> {
    checkRows(start, end, this.shape[0], this.path);
    const values: StoredValues[] = [];
    for (const { array, start: first, rows } of this.#parts) {
      const [from, to] = [Math.max(start, first) - first, Math.min(end, first + rows) - first];
      if (to > from) values.push(await array.read(from, to, options));
    }
    return values.length === 0 ? this.#parts[0].array.read(0, 0, options) : joinValues(values);
  }
}

// The chunks of arrays one after the other. A stored chunk stays as it is where its array begins at a place of the
// result's grid; every other chunk of the result is encoded anew.

/** An array with its position in the joined array. */
interface JoinedPart {
  readonly array: StoredArray;
  /** The position of the array's first row in the joined array. */
  readonly start: number;
  readonly rows: number;
}

/** Consecutive chunks along the first dimension. `start` and `end` are positions in the result's grid. */
interface Run {
  readonly start: number;
  readonly end: number;
  /** The array that contains the chunks, beginning with its first chunk; null for chunks to be encoded again. */
  readonly stored: StoredChunks | null;
}

/**
 * Makes the capability of concatenated arrays. Returns null if less than half of the rows are in chunks that can be
 * copied: arrays that are encoded completely are encoded by several threads, which is faster.
 */
function joinStoredChunks(
  joined: Pick<StoredArray, "type" | "shape" | "read">,
  parts: readonly JoinedPart[],
): StoredChunks | null {
  const { type, shape } = joined;
  const pattern = parts.find(({ array }) => array.capabilities?.storedChunks !== undefined)?.array.capabilities;
  const stored = pattern?.storedChunks;
  const [height = 0, ...rest] = shape ?? [];
  if (stored === undefined) return null;
  const { chunk } = stored;
  const runs = runsOf(stored, parts, height);
  const keeps = runs.reduce((sum, { start, end, stored: own }) => sum + (own === null ? 0 : end - start), 0);
  if (keeps === 0 || keeps * 2 < Math.ceil(height / chunk[0])) return null;
  const encoding = runs.some((run) => run.stored === null) ? findChunkEncoding(stored, type) : [];
  if (encoding === null) return null;
  const across = countElements(computeGridShape(rest, chunk.slice(1)));

  async function encoded(band: number, options?: ReadOptions): Promise<StoredChunkBatch> {
    const rows = { start: band * chunk[0], end: Math.min(height, (band + 1) * chunk[0]), rest, place: band * across };
    const values = await joined.read(rows.start, rows.end, options);
    if (values.kind !== "fixed") throw new TypeError("numbers are fixed");
    return encodeRowsAsChunk(viewAsBytes(values.values), rows, chunk, encoding ?? []);
  }

  async function* pieces(
    all: readonly FoundRun[],
    files: boolean,
    options?: ReadOptions,
  ): AsyncGenerator<StoredChunkBatch> {
    for (const { start, end, by, found } of all) {
      if (found !== null) yield* readShiftedChunks(found, by, files, options);
      else for (let band = start; band < end; band++) yield await encoded(band, options);
    }
  }

  return {
    ...stored,
    async find(options = {}) {
      const [first, last] = options.bands ?? [0, Number.POSITIVE_INFINITY];
      const all: FoundRun[] = [];
      for (const { stored, ...run } of runs) {
        const [start, end] = [Math.max(first, run.start), Math.min(last, run.end)];
        if (start >= end) continue;
        const bands = [start - run.start, end - run.start] as const;
        const found = stored === null ? null : await stored.find({ ...options, bands });
        all.push({ start, end, by: run.start * across, found });
      }
      return {
        count: all.reduce((sum, { start, end, found }) => sum + (found?.count ?? (end - start) * across), 0),
        skipsCodecs: all.some(({ found }) => found?.skipsCodecs ?? false),
        pieces: (files, how) => pieces(all, files, how),
        checkUnchanged: async () => {
          for (const { found } of all) await found?.checkUnchanged();
        },
      };
    },
  };
}

/** Chunks with positions [`start`, `end`). */
interface FoundRun {
  readonly start: number;
  readonly end: number;
  /** The stored chunks, and the number of positions by which they move; null for chunks to be encoded again. */
  readonly found: FoundChunks | null;
  readonly by: number;
}

/** Returns all chunks of the result, in order. */
function runsOf(pattern: StoredChunks, parts: readonly JoinedPart[], height: number): readonly Run[] {
  const [rows] = pattern.chunk;
  const runs: Run[] = [];
  let done = 0;
  const encodeTo = (end: number) => {
    if (end > done) runs.push({ start: done, end, stored: null });
    done = Math.max(done, end);
  };
  for (const { array, start, rows: own } of parts) {
    const stored = array.capabilities?.storedChunks;
    if (own === 0 || stored === undefined || start % rows !== 0 || !agree(stored, pattern)) continue;
    // The last chunk of the last array extends beyond its rows, as the result's last chunk does.
    const whole = start + own === height ? Math.ceil(own / rows) : Math.floor(own / rows);
    if (whole === 0) continue;
    encodeTo(start / rows);
    done = start / rows + whole;
    runs.push({ start: start / rows, end: done, stored });
  }
  encodeTo(Math.ceil(height / rows));
  return runs;
}

/** True if the chunks of two arrays of one type have the same shape and encoding. */
function agree(a: StoredChunks, b: StoredChunks): boolean {
  const text = ({ container, chunk, codecs }: StoredChunks) =>
    JSON.stringify([container, chunk, codecs], (_, value) => (typeof value === "bigint" ? `${value}n` : value));
  return a === b || text(a) === text(b);
}
