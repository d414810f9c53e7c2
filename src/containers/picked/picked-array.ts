/**
 * Selected rows of a stored array, and for a matrix selected columns, in any order and with repeats, as a separate
 * array. Only chunks that contain selected rows are read.
 */

import type { ReadOptions } from "../../io/sources/source.js";
import { joinValues } from "../../kernels/values/join-values.js";
import { sliceRows, takeRows } from "../../kernels/values/stored-rows.js";
import { allocate, countElements, getDecodedSize, type StoredValues, viewAsBytes } from "../../model/stored.js";
import type { ArrayPlan, BoxChunk, Capabilities, ReadBoxChunks, StoredArray } from "../tree/container.js";
import { type ChunkRun, composeStoredChunks } from "./composed-chunks.js";
import { DerivedArray } from "./derived-array.js";
import { GAP_BYTES, GatheredRows, getFixedValueSize } from "./gathered-rows.js";
import {
  checkRows,
  composeRowRanges,
  countRangeRows,
  countRowsInChunks,
  listRowPositions,
  type OrderedRowRanges,
  type RowRanges,
  splitRisingRanges,
} from "./row-ranges.js";

// Gathers rows and columns of a matrix that is chunked along both axes. Reads only chunks that contain selected values.

/** Minimum number of rows whose chunks are read together. */
const BAND = 1024;

/** Selected columns in adjacent chunks, at positions [first, end) of the sorted columns. */
interface ColumnGroup {
  readonly first: number;
  readonly end: number;
}

class GatheredColumns {
  readonly #blocks: ReadBoxChunks;
  readonly #valueBytes: number;
  readonly #rows: RowRanges;
  /** The selected columns in stored order, and each column's position in a row of the part. */
  readonly #cols: Int32Array;
  readonly #places: Int32Array;
  readonly #groups: readonly ColumnGroup[];
  readonly #chunkRows: number;

  private constructor(
    blocks: ReadBoxChunks,
    valueBytes: number,
    [height, chunkRows, chunkCols]: readonly [number, number, number],
    rows: RowRanges | null,
    cols: Int32Array,
  ) {
    this.#blocks = blocks;
    this.#valueBytes = valueBytes;
    this.#rows = rows ?? { starts: Float64Array.of(0), ends: Float64Array.of(height) };
    this.#places = Int32Array.from(cols.keys()).sort((a, b) => cols[a] - cols[b]);
    this.#cols = this.#places.map((place) => cols[place]);
    this.#groups = neighbours(this.#cols, chunkCols);
    this.#chunkRows = chunkRows;
  }

  /** Returns null if the array is not chunked along its columns, or if its values have no fixed size. */
  static of(array: StoredArray, rows: RowRanges | null, cols: Int32Array | null): GatheredColumns | null {
    const { shape, chunks, capabilities, type } = array;
    const valueBytes = getFixedValueSize(type);
    const blocks = capabilities?.blocks;
    if (cols === null || valueBytes === null || blocks === undefined) return null;
    if (shape?.length !== 2 || chunks?.length !== 2 || chunks[1] >= shape[1]) return null;
    return new GatheredColumns(blocks, valueBytes, [shape[0], chunks[0], chunks[1]], rows, cols);
  }

  /**
   * Copies the rows [start, end) of the part.
   * @param target memory of exactly the size of the rows.
   */
  async into(start: number, end: number, target: Uint8Array, options: ReadOptions): Promise<void> {
    // Values that no chunk contains are zero.
    target.fill(0);
    const chunk = this.#chunkRows;
    const band = chunk * Math.max(1, Math.floor(BAND / chunk));
    const pieces = splitRisingRanges(this.#rows, start, end, band);
    for (let first = 0; first < pieces.count; ) {
      let stop = pieces.rows[first] + pieces.lengths[first];
      let next = first + 1;
      const isNear = () =>
        pieces.rows[next] - stop < chunk &&
        Math.floor(pieces.rows[next] / band) === Math.floor(pieces.rows[first] / band);
      for (; next < pieces.count && isNear(); next++) stop = Math.max(stop, pieces.rows[next] + pieces.lengths[next]);
      const rows = [pieces.rows[first], stop] as const;
      for (const group of this.#groups) {
        const cols = [this.#cols[group.first], this.#cols[group.end - 1] + 1] as const;
        const visit = (block: BoxChunk) => this.#take(block, group, pieces, [first, next], target);
        await this.#blocks({ rows, cols }, visit, options);
      }
      first = next;
    }
  }

  /** Copies the selected values of a block. */
  #take(
    { row, col, rows, cols, stride, bytes }: BoxChunk,
    group: ColumnGroup,
    pieces: OrderedRowRanges,
    [first, next]: readonly [number, number],
    target: Uint8Array,
  ): void {
    const size = this.#valueBytes;
    let left = group.first;
    while (left < group.end && this.#cols[left] < col) left++;
    let right = left;
    while (right < group.end && this.#cols[right] < col + cols) right++;
    if (left === right) return;
    for (let i = first; i < next && pieces.rows[i] < row + rows; i++) {
      const low = Math.max(row, pieces.rows[i]);
      const high = Math.min(row + rows, pieces.rows[i] + pieces.lengths[i]);
      for (let at = low; at < high; at++) {
        const from = (at - row) * stride - col;
        const to = (pieces.places[i] + at - pieces.rows[i]) * this.#cols.length;
        for (let k = left; k < right; k++) {
          const source = (from + this.#cols[k]) * size;
          const place = (to + this.#places[k]) * size;
          for (let byte = 0; byte < size; byte++) target[place + byte] = bytes[source + byte];
        }
      }
    }
  }
}

/** Groups sorted columns so that every chunk spanned by a group contains at least one of its columns. */
function neighbours(cols: Int32Array, chunk: number): readonly ColumnGroup[] {
  const groups: ColumnGroup[] = [];
  for (let first = 0; first < cols.length; ) {
    let end = first + 1;
    while (end < cols.length && Math.floor(cols[end] / chunk) - Math.floor(cols[end - 1] / chunk) <= 1) end++;
    groups.push({ first, end });
    first = end;
  }
  return groups;
}

/** A picked array in serializable form. */
export interface PickedArrayPlan {
  readonly array: ArrayPlan;
  readonly rows: RowRanges | null;
  readonly cols: Int32Array | null;
}

declare module "../tree/container.js" {
  interface ArrayPlans {
    readonly picked: PickedArrayPlan;
  }

  interface Capabilities {
    /**
     * Returns the number of rows in the chunks that contain picked rows. Chunks are decoded repeatedly if the rows are
     * unordered.
     */
    readonly decodedRows?: () => number;
  }
}

/** Maximum bytes of stored rows that are read at a time, unless one chunk is larger. */
const MAX_BYTES = 2 ** 24;

/**
 * Picks rows and columns of `array`; null picks all of them. If `array` is itself a part, the rows are picked from the
 * stored array.
 * @param rows positions along the first dimension, in range.
 * @param cols positions along the second dimension, in range.
 */
export function createPickedArray(
  array: StoredArray,
  rows: RowRanges | null,
  cols: Int32Array | null = null,
): StoredArray {
  if (rows === null && cols === null) return array;
  if (!(array instanceof PickedArray)) return new PickedArray(array, rows, cols);
  const { from, rows: own, cols: ownCols } = array;
  const allRows = own === null || rows === null ? (rows ?? own) : composeRowRanges(own, rows);
  const allCols = ownCols === null || cols === null ? (cols ?? ownCols) : cols.map((col) => ownCols[col]);
  return new PickedArray(from, allRows, allCols);
}

export async function openPickedArray(
  { array, rows, cols }: PickedArrayPlan,
  open: (part: ArrayPlan) => Promise<StoredArray>,
): Promise<StoredArray> {
  return new PickedArray(await open(array), rows, cols);
}

export class PickedArray extends DerivedArray {
  readonly from: StoredArray;
  readonly rows: RowRanges | null;
  readonly cols: Int32Array | null;
  readonly plan?: ArrayPlan;
  readonly capabilities?: Capabilities;
  readonly readInto?: NonNullable<StoredArray["readInto"]>;
  /** Writes values of a fixed size to memory; null if the stored array only supports `read`. */
  readonly #gather: Gather | null = null;
  /** Number of values per stored row. */
  readonly #per: number;
  /** Number of rows in a chunk; 1 if the array has no chunks, or if its chunks are larger than `MAX_BYTES`. */
  readonly #chunk: number;
  /** The maximum distance between two rows that are read together. */
  readonly #step: number;
  readonly #rowBytes: number;
  /** The rest of the last chunk read, which often contains the next rows. */
  #held: Block | null = null;

  constructor(from: StoredArray, rows: RowRanges | null, cols: Int32Array | null) {
    const [height, ...rest] = from.shape ?? [];
    const [width, ...inner] = rest;
    super(from, from.type, [
      rows === null ? height : countRangeRows(rows),
      ...(cols === null ? rest : [cols.length, ...inner]),
    ]);
    if (height === undefined) throw new TypeError("only arrays have rows to pick");
    if (cols !== null && width === undefined) throw new TypeError("only a matrix has columns to pick");
    this.from = from;
    this.rows = rows;
    this.cols = cols;
    const { plan } = from;
    if (plan !== undefined)
      this.plan = { source: plan.source, container: "picked", array: { array: plan, rows, cols } };
    this.#per = countElements(rest);
    const { chunks } = from;
    const runs = rows === null || cols !== null ? null : chunkRuns(from, rows);
    const stored = from.capabilities?.storedChunks;
    const kept = runs === null || stored === undefined ? null : composeStoredChunks(this, stored, runs);
    if (rows !== null && (chunks !== null || kept !== null)) {
      this.capabilities = {
        decodedRows: chunks === null ? undefined : () => countRowsInChunks(rows, chunks[0], height),
        storedChunks: kept ?? undefined,
      };
    }
    this.#gather = gatherOf(from, rows, cols);
    const gather = this.#gather;
    if (gather !== null) {
      this.readInto = (start, end, target, options = {}) => {
        checkRows(start, end, this.shape[0], this.path);
        return gather(start, end, target, options);
      };
    }
    this.#rowBytes = Math.max(1, this.#per * (getDecodedSize(from.type) ?? 32));
    const chunk = from.chunks?.[0];
    const isHeld = chunk !== undefined && chunk * this.#rowBytes <= MAX_BYTES;
    this.#chunk = isHeld ? chunk : 1;
    // Two rows at most one chunk apart lie in the same or in adjacent chunks, so no chunk between them is read
    // needlessly.
    this.#step = isHeld ? chunk : Math.max(1, Math.floor(GAP_BYTES / this.#rowBytes));
  }

  async read(start: number, end: number, options: ReadOptions = {}): Promise<StoredValues> {
    checkRows(start, end, this.shape[0], this.path);
    if (end === start) return this.#pickCols(await this.from.read(0, 0, options), 0);
    if (this.#gather !== null) {
      const values = allocate(this.type, (end - start) * countElements(this.shape.slice(1)));
      await this.#gather(start, end, viewAsBytes(values), options);
      return { kind: "fixed", values };
    }
    if (this.rows === null) return this.#pickCols(await this.from.read(start, end, options), end - start);
    const rows = listRowPositions(this.rows, start, end);
    const order = risingOrder(rows);
    if (order === null) return this.#rising(rows, options);
    const sorted = Float64Array.from(order, (place) => rows[place]);
    const values = await this.#rising(sorted, options);
    const places = new Int32Array(order.length);
    for (let i = 0; i < order.length; i++) places[order[i]] = i;
    return takeRows(this.type, values, this.cols === null ? this.#per : countElements(this.shape.slice(1)), places);
  }

  /** Reads rows in non-descending order. */
  async #rising(rows: Float64Array, options: ReadOptions): Promise<StoredValues> {
    const parts: StoredValues[] = [];
    for (let first = 0; first < rows.length; ) {
      options.signal?.throwIfAborted();
      const end = this.#together(rows, first);
      const block = await this.#block(rows[first], rows[end - 1] + 1, options);
      const within: readonly [number, number] = [rows[first] - block.start, rows[end - 1] + 1 - block.start];
      const isRange = within[1] - within[0] === end - first && isDistinct(rows, first, end);
      const values = isRange
        ? sliceRows(this.type, block.values, this.#per, within)
        : takeRows(
            this.type,
            block.values,
            this.#per,
            Int32Array.from(rows.subarray(first, end), (row) => row - block.start),
          );
      parts.push(this.#pickCols(values, end - first));
      first = end;
    }
    return joinValues(parts);
  }

  /** Returns the end of the rows to read together, starting at `first`. */
  #together(rows: Float64Array, first: number): number {
    const chunk = this.#chunk;
    const most = Math.max(chunk, Math.floor(MAX_BYTES / this.#rowBytes));
    const start = rows[first] - (rows[first] % chunk);
    let end = first + 1;
    while (end < rows.length && rows[end] - rows[end - 1] <= this.#step && rows[end] < start + most) end++;
    return end;
  }

  /** Reads the stored rows [start, end), and caches the last of their chunks. */
  async #block(start: number, end: number, options: ReadOptions): Promise<Block> {
    const held = this.#held;
    if (held !== null && start >= held.start && end <= held.end) return held;
    const [height] = this.from.shape ?? [0];
    const chunk = this.#chunk;
    const first = start - (start % chunk);
    const last = Math.min(height, Math.ceil(end / chunk) * chunk);
    const block = { start: first, end: last, values: await this.from.read(first, last, options) };
    if (chunk > 1) {
      const from = Math.max(first, last - (last % chunk === 0 ? chunk : last % chunk));
      const values = sliceRows(this.type, block.values, this.#per, [from - first, last - first]);
      this.#held = { start: from, end: last, values };
    }
    return block;
  }

  #pickCols(values: StoredValues, rows: number): StoredValues {
    const { cols } = this;
    if (cols === null) return values;
    const [, width = 1, ...inner] = this.from.shape ?? [];
    const places = new Int32Array(rows * cols.length);
    for (let row = 0, at = 0; row < rows; row++) {
      for (let i = 0; i < cols.length; i++) places[at++] = row * width + cols[i];
    }
    return takeRows(this.type, values, countElements(inner), places);
  }
}

type Gather = (start: number, end: number, target: Uint8Array, options: ReadOptions) => Promise<void>;

function gatherOf(from: StoredArray, rows: RowRanges | null, cols: Int32Array | null): Gather | null {
  const columns = GatheredColumns.of(from, rows, cols);
  if (columns !== null) return (...args) => columns.into(...args);
  const valueBytes = getFixedValueSize(from.type);
  if (rows === null || cols !== null || valueBytes === null) return null;
  const gathered = new GatheredRows(from, valueBytes);
  return (...args) => gathered.into(rows, ...args);
}

interface Block {
  readonly start: number;
  readonly end: number;
  readonly values: StoredValues;
}

/** Returns the indices that sort `rows` in ascending order; null if the rows are already in non-descending order. */
function risingOrder(rows: Float64Array): Uint32Array | null {
  let rises = true;
  for (let i = 1; rises && i < rows.length; i++) rises = rows[i] >= rows[i - 1];
  return rises ? null : Uint32Array.from(rows, (_, i) => i).sort((a, b) => rows[a] - rows[b]);
}

function isDistinct(rows: Float64Array, first: number, end: number): boolean {
  for (let i = first + 1; i < end; i++) if (rows[i] === rows[i - 1]) return false;
  return true;
}

/**
 * Returns the runs of stored chunks that consist only of consecutive picked rows; null if there is no such chunk. The
 * rows after the last such chunk are encoded again, because their stored chunk would also contain rows that were not
 * picked.
 */
function chunkRuns({ shape, capabilities }: StoredArray, { starts, ends }: RowRanges): readonly ChunkRun[] | null {
  const stored = capabilities?.storedChunks;
  if (stored === undefined || starts.length !== 1) return null;
  const [rows] = stored.chunk;
  const [start, count] = [starts[0], countRangeRows({ ends })];
  const whole = start + count === shape?.[0] ? Math.ceil(count / rows) : Math.floor(count / rows);
  if (start % rows !== 0 || whole === 0) return null;
  const own = { start: 0, end: whole, stored: { chunks: stored, first: start / rows } };
  return whole * rows < count ? [own, { start: whole, end: whole + 1, stored: null }] : [own];
}
