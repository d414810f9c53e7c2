/**
 * Reads rows along the last dimension of a dataset, with the dimensions reversed. Languages with column-major arrays
 * write matrices in this orientation.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { type ArrayBox, copyReversed } from "../../../kernels/dense/place-reversed.js";
import { InvalidDataError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import type { ChunkIndex, StoredChunk } from "../chunks/chunk-index.js";
import { fillUnwritten } from "../chunks/chunked-rows.js";
import { decodeChunk } from "../chunks/filters.js";
import { openChunkIndex } from "../chunks/open-chunk-index.js";
import { fetchGroup, giveBuffer, isEdge, mergeNeighbours, sumCheckedSizes } from "../chunks/read-chunks.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import type { ChunkedLayout } from "../objects/layout.js";
import type { Hdf5Dataset } from "./dataset.js";
import type { ReadStoredRows } from "./stored-rows.js";

/**
 * Number of bytes of a contiguous dataset that are read at once. The parts from different rows are far apart in the
 * file, so each part should be long.
 */
const BAND_BYTES = 2 ** 24;

/** Number of bands in reused memory. Each piece takes one system call, which is as slow for 1 KiB as for 2 KiB. */
const BANDS_TOGETHER = 2;

/**
 * Maximum size in bytes of a band that is not on a disk. Such bands are large because every piece is a separate
 * request.
 */
const REMOTE_BAND_BYTES = 2 ** 26;

/** Number of bytes fetched before they are copied. They are few enough to still be in the CPU cache. */
const PIECE_BYTES = 2 ** 18;
const REMOTE_PIECE_BYTES = 2 ** 22;

/**
 * Padding between pieces in memory. If their distance were a power of two, they would evict each other from the CPU
 * cache.
 */
const APART = 64;

/** Number of unneeded bytes that can be read at a lower cost than another request. */
const REMOTE_GAP = 2 ** 18;

/** Maximum number of chunks whose locations are cached. */
const CHUNKS_KEPT = 2 ** 17;

/** Maximum number of chunks listed at a time. */
const LISTED = 2 ** 16;

/**
 * Returns the shape of the unit that is decoded at once, with the dimensions reversed; null if reading a range costs no
 * more than the size of that range.
 * @param isLocal whether small reads cost little.
 */
export function getReversedChunkShape(dataset: Hdf5Dataset, isLocal: boolean): readonly number[] | null {
  const { layout, extent } = dataset;
  if (extent === null) return null;
  if (layout.kind === "chunked") return [...layout.chunk].reverse();
  const rows = bandRows(dataset, isLocal ? BAND_BYTES : REMOTE_BAND_BYTES);
  return rows === null ? null : [rows, ...[...extent].reverse().slice(1)];
}

/**
 * Returns the best number of rows to read at once if memory does not matter; undefined if a chunk already has that many
 * rows.
 */
export function getReversedRowCount(dataset: Hdf5Dataset, isLocal: boolean): number | undefined {
  if (dataset.layout.kind === "chunked" || !isLocal) return undefined;
  const rows = bandRows(dataset, BAND_BYTES);
  return rows === null ? undefined : BANDS_TOGETHER * rows;
}

/** Returns the number of rows in a band; null if rows are single values. */
function bandRows({ extent, datatype }: Hdf5Dataset, bytes: number): number | null {
  const [rows = 1, ...rest] = [...(extent ?? [])].reverse();
  if (countElements(rest) <= 1) return null;
  return Math.max(1, Math.min(rows, Math.floor(bytes / Math.max(1, countElements(rest) * datatype.size))));
}

/**
 * Makes a reader for the positions [start, end) of the last dimension, with the dimensions reversed. Filters are
 * undone; otherwise values stay as stored.
 * @throws {InvalidDataError} if the dataset cannot have the chunk index that it declares.
 */
export function createReversedRowReader(
  file: Hdf5File,
  dataset: Hdf5Dataset,
  extent: readonly number[],
): ReadStoredRows {
  const { layout, fill } = dataset;
  const { size } = dataset.datatype;
  switch (layout.kind) {
    case "compact":
      return async (start, end, target) => {
        const whole = { offset: extent.map(() => 0), shape: extent };
        copyReversed(layout.bytes, whole, extent, [start, end], target, size);
      };
    case "contiguous": {
      const { address } = layout;
      if (address === null) return async (_start, _end, target, options) => fillUnwritten(target, fill, options);
      return (start, end, target, options) =>
        readContiguous({ file, address, extent, size }, [start, end], target, options);
    }
    case "chunked": {
      const index = openChunkIndex(file, layout, dataset.maximum);
      if (index === null) return async (_start, _end, target, options) => fillUnwritten(target, fill, options);
      const bands = new Bands(index, extent, layout.chunk);
      const chunked: Chunked = { file, filters: dataset.filters, fill, layout, extent };
      return async (start, end, target, options) => {
        if (target.length === 0) return;
        const chunks = await bands.find(start, end, options);
        await readChunks(chunked, { chunks, range: [start, end] }, target, options);
      };
    }
    case "virtual":
      throw new TypeError("a virtual dataset stores no rows");
    default:
      return layout satisfies never;
  }
}

interface Contiguous {
  readonly file: Hdf5File;
  readonly address: number;
  readonly extent: readonly number[];
  readonly size: number;
}

async function readContiguous(
  { file, address, extent, size }: Contiguous,
  [start, end]: readonly [number, number],
  target: Uint8Array,
  options?: ReadOptions,
): Promise<void> {
  const rank = extent.length;
  const last = extent[rank - 1];
  const outer = countElements(extent.slice(0, -1));
  if (outer === 1) return await file.readInto(address + start * size, target, options);
  // Whole rows are read, in pieces, if at least half of each row is needed, or if skipping the rest would not justify
  // another request. Otherwise only the needed part of each row is read.
  const isNear = !file.copies && (last - (end - start)) * size <= REMOTE_GAP;
  const whole = isNear || (end - start) * 2 >= last;
  const [from, width] = whole ? [0, last] : [start, end - start];
  const isRun = whole && countElements(extent.slice(1, -1)) === 1;
  const rowBytes = width * size;
  const stride = isRun ? width : width + Math.ceil(APART / size);
  const pieceBytes = file.copies ? PIECE_BYTES : REMOTE_PIECE_BYTES;
  const step = Math.max(1, Math.floor(pieceBytes / Math.max(1, rowBytes)));
  const first = extent[0];
  const between = countElements(extent.slice(1, -1));
  const bytes = new Uint8Array(Math.min(step, first) * stride * size);
  const at = extent.slice(1, -1).map(() => 0);
  for (let middle = 0; middle < between; middle++) {
    for (let row = 0; row < first; row += step) {
      options?.signal?.throwIfAborted();
      const rows = Math.min(step, first - row);
      const piece = bytes.subarray(0, rows * stride * size);
      const begin = address + ((row * between + middle) * last + from) * size;
      if (isRun) await file.readInto(begin, piece, options);
      else {
        const apart = { step: between * last * size, targetStep: stride * size };
        await file.readPieces({ start: begin, length: rowBytes, count: rows, ...apart }, piece, options);
      }
      const block: ArrayBox = { offset: [row, ...at, from], shape: [rows, ...at.map(() => 1), stride] };
      copyReversed(piece, block, extent, [start, end], target, size);
    }
    for (let d = at.length - 1; d >= 0; d--) {
      if (++at[d] < extent[d + 1]) break;
      at[d] = 0;
    }
  }
}

/** Finds the chunks at positions of the last dimension, although chunk indexes are ordered by the first dimension. */
class Bands {
  readonly #index: ChunkIndex;
  readonly #extent: readonly number[];
  readonly #chunk: readonly number[];
  #kept: Promise<Map<number, StoredChunk[]>> | null = null;

  constructor(index: ChunkIndex, extent: readonly number[], chunk: readonly number[]) {
    this.#index = index;
    this.#extent = extent;
    this.#chunk = chunk;
  }

  async find(start: number, end: number, options?: ReadOptions): Promise<StoredChunk[]> {
    const last = this.#extent.length - 1;
    const width = this.#chunk[last];
    const [low, high] = [Math.floor(start / width), Math.ceil(end / width)];
    if (countElements(this.#extent.map((size, d) => Math.ceil(size / this.#chunk[d]))) > CHUNKS_KEPT) {
      return await this.#list((band) => band >= low && band < high, options);
    }
    this.#kept ??= this.#all(options).catch((error: unknown) => {
      this.#kept = null;
      throw error;
    });
    const kept = await this.#kept;
    const found: StoredChunk[] = [];
    for (let band = low; band < high; band++) {
      for (const chunk of kept.get(band) ?? []) found.push(chunk);
    }
    return found;
  }

  async #all(options?: ReadOptions): Promise<Map<number, StoredChunk[]>> {
    const bands = new Map<number, StoredChunk[]>();
    const last = this.#extent.length - 1;
    for (const chunk of await this.#list(() => true, options)) {
      const band = chunk.offset[last] / this.#chunk[last];
      const others = bands.get(band);
      if (others === undefined) bands.set(band, [chunk]);
      else others.push(chunk);
    }
    return bands;
  }

  async #list(wanted: (band: number) => boolean, options?: ReadOptions): Promise<StoredChunk[]> {
    const last = this.#extent.length - 1;
    const perRow = countElements(this.#extent.slice(1).map((size, d) => Math.ceil(size / this.#chunk[d + 1])));
    const step = Math.max(1, Math.floor(LISTED / perRow)) * this.#chunk[0];
    const found: StoredChunk[] = [];
    for (let row = 0; row < this.#extent[0]; row += step) {
      options?.signal?.throwIfAborted();
      const chunks = await this.#index.find(
        { rows: [row, Math.min(this.#extent[0], row + step)], shape: this.#extent },
        options,
      );
      for (const chunk of chunks) if (wanted(chunk.offset[last] / this.#chunk[last])) found.push(chunk);
    }
    return found;
  }
}

interface Chunked extends Pick<Hdf5Dataset, "filters" | "fill"> {
  readonly file: Hdf5File;
  readonly layout: ChunkedLayout;
  readonly extent: readonly number[];
}

/** The positions [start, end) of the last dimension, and the chunks that overlap them. */
interface FoundChunks {
  readonly chunks: readonly StoredChunk[];
  readonly range: readonly [start: number, end: number];
}

async function readChunks(
  { file, filters: all, fill, layout, extent }: Chunked,
  { chunks, range: [start, end] }: FoundChunks,
  target: Uint8Array,
  options?: ReadOptions,
): Promise<void> {
  const { chunk, elementSize, plainEdges } = layout;
  const last = extent.length - 1;
  const bands = Math.ceil(end / chunk[last]) - Math.floor(start / chunk[last]);
  const perBand = countElements(extent.slice(0, -1).map((size, d) => Math.ceil(size / chunk[d])));
  const missing = 1 - chunks.length / (bands * perBand);
  if (missing > 0) fillUnwritten(target, fill, options, missing);
  const stored = sumCheckedSizes(chunks, file.size);
  if (stored > file.size) {
    throw new InvalidDataError(`chunks of ${stored} bytes in all, in a file of ${file.size} bytes`);
  }
  const chunkBytes = countElements(chunk) * elementSize;
  const memory = new Uint8Array(chunkBytes);
  const groups = mergeNeighbours(chunks);
  let next = groups.length > 0 ? fetchGroup(file, groups[0], options) : undefined;
  for (const [k, group] of groups.entries()) {
    options?.signal?.throwIfAborted();
    const bytes = await next;
    if (bytes === undefined) return;
    next = k + 1 < groups.length ? fetchGroup(file, groups[k + 1], options) : undefined;
    next?.catch(() => undefined);
    for (const found of group) {
      const at = found.address - group[0].address;
      const part = bytes.subarray(at, at + found.storedBytes);
      const filters = plainEdges && isEdge(found.offset, chunk, extent) ? [] : all;
      const decoded = await decodeChunk(part, filters, found.filterMask, chunkBytes, elementSize, memory);
      copyReversed(decoded, { offset: found.offset, shape: chunk }, extent, [start, end], target, elementSize);
    }
    if (file.copies) giveBuffer(bytes);
  }
}
