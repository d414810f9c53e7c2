/** Concatenates stored arrays along the first dimension, and presents them as one array. */

import type { ReadOptions } from "../../io/sources/source.js";
import { joinValues } from "../../kernels/values/join-values.js";
import type { StoredValues } from "../../model/stored.js";
import { type ChunkRun, composeStoredChunks } from "../picked/composed-chunks.js";
import { JoinedValues } from "../picked/derived-array.js";
import { checkRows } from "../picked/row-ranges.js";
import type { Capabilities, StoredArray } from "../tree/container.js";
import { areOneNumber, type StoredChunks } from "../tree/stored-chunks.js";

/** Joins arrays of numbers; null if their types or the shapes of their rows differ. */
export function joinArrays(arrays: readonly StoredArray[]): StoredArray | null {
  const [{ type, shape }] = arrays;
  const rest = shape?.slice(1).join();
  const fit = arrays.every((one) => areOneNumber(type, one.type) && one.shape && one.shape.length > 0);
  return fit && arrays.every((one) => one.shape?.slice(1).join() === rest) ? new JoinedArray(arrays) : null;
}

class JoinedArray extends JoinedValues {
  override readonly chunks: StoredArray["chunks"];
  readonly capabilities?: Capabilities;
  readonly #parts: readonly JoinedPart[];

  constructor(arrays: readonly StoredArray[]) {
    const [first] = arrays;
    let rows = 0;
    const parts = arrays.map((array) => {
      const part = { array, start: rows, rows: array.shape?.[0] ?? 0 };
      rows += part.rows;
      return part;
    });
    super(arrays, first.type, [rows, ...(first.shape ?? []).slice(1)]);
    this.#parts = parts;
    this.chunks = first.chunks;
    const storedChunks = joinStoredChunks(this, parts);
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

// The chunks of several arrays, one array after the other. A stored chunk stays as it is if its array begins on a chunk
// boundary of the result; all other chunks of the result are encoded again.

/** An array and its position in the joined array. */
interface JoinedPart {
  readonly array: StoredArray;
  /** The position of the array's first row in the joined array. */
  readonly start: number;
  readonly rows: number;
}

/**
 * Returns an object that copies the chunks of concatenated arrays, or null if less than half of the rows are in chunks
 * that can be copied. In that case, encoding all chunks is faster, because several threads do it.
 */
function joinStoredChunks(
  joined: Pick<StoredArray, "type" | "shape" | "read">,
  parts: readonly JoinedPart[],
): StoredChunks | null {
  const pattern = parts.find(({ array }) => array.capabilities?.storedChunks !== undefined)?.array.capabilities;
  const stored = pattern?.storedChunks;
  if (stored === undefined) return null;
  const [height = 0] = joined.shape ?? [];
  const runs = runsOf(stored, parts, height);
  const keeps = runs.reduce((sum, { start, end, stored: own }) => sum + (own === null ? 0 : end - start), 0);
  if (keeps === 0 || keeps * 2 < Math.ceil(height / stored.chunk[0])) return null;
  return composeStoredChunks(joined, stored, runs);
}

/** Returns all chunks of the result, in order. */
function runsOf(pattern: StoredChunks, parts: readonly JoinedPart[], height: number): readonly ChunkRun[] {
  const [rows] = pattern.chunk;
  const runs: ChunkRun[] = [];
  let done = 0;
  const encodeTo = (end: number) => {
    if (end > done) runs.push({ start: done, end, stored: null });
    done = Math.max(done, end);
  };
  for (const { array, start, rows: own } of parts) {
    const stored = array.capabilities?.storedChunks;
    if (own === 0 || stored === undefined || start % rows !== 0 || !agree(stored, pattern)) continue;
    // The last chunk of the last array extends past the array's rows, just as the last chunk of the result does.
    const whole = start + own === height ? Math.ceil(own / rows) : Math.floor(own / rows);
    if (whole === 0) continue;
    encodeTo(start / rows);
    done = start / rows + whole;
    runs.push({ start: start / rows, end: done, stored: { chunks: stored, first: 0 } });
  }
  encodeTo(Math.ceil(height / rows));
  return runs;
}

/** True if the chunks of two arrays of the same type have the same shape and encoding. */
function agree(a: StoredChunks, b: StoredChunks): boolean {
  const text = ({ container, chunk, codecs }: StoredChunks) =>
    JSON.stringify([container, chunk, codecs], (_, value) => (typeof value === "bigint" ? `${value}n` : value));
  return a === b || text(a) === text(b);
}
