/** Reads the chunks of a dataset as stored, without undoing their filters. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError, runWithLocation } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import {
  computeGridShape,
  type FilterSpec,
  type FindOptions,
  type StoredChunkBatch,
  type StoredChunks,
  type StoredCodec,
} from "../../tree/stored-chunks.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import type { ChunkIndex, StoredChunk } from "./chunk-index.js";
import type { Filter } from "./filters.js";
import { type ChunkedData, mergeNeighbours, sumCheckedSizes } from "./read-chunks.js";

/** Number of chunks located at a time. */
const BAND_CHUNKS = 2 ** 15;

/** Number of pieces read ahead. */
const AHEAD = 2;

/** Maximum number of pieces whose memory is reused, and maximum size of such a piece in bytes. */
const MAX_SPARE = 6;
const MAX_SPARE_BYTES = 2 ** 23;

/**
 * @param data the dataset, whose values are little-endian numbers.
 * @param names how errors refer to the file and the dataset.
 */
export function createHdf5StoredChunks(
  data: ChunkedData,
  names: { readonly source: string; readonly element: string },
): StoredChunks {
  const { chunk, elementSize } = data;
  const codecs = data.filters.map((filter) => codecOf(filter, elementSize));
  return {
    container: "hdf5",
    chunk,
    codecs,
    behindValues: codecs,
    find: (options) =>
      runWithLocation(names, async () => {
        const { count, masked } = await survey(data, options);
        return {
          count,
          skipsCodecs: masked,
          pieces: (_files, how) => locatedPieces(names, pieces(data, { ...how, bands: options?.bands })),
          checkUnchanged: () => runWithLocation(names, () => data.file.checkUnchanged()),
        };
      }),
  };
}

async function* locatedPieces(
  names: { readonly source: string; readonly element: string },
  all: AsyncGenerator<StoredChunkBatch>,
): AsyncGenerator<StoredChunkBatch> {
  try {
    for (;;) {
      const next = await runWithLocation(names, () => all.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await all.return(undefined);
  }
}

/** Checks all chunks before any chunk is copied. */
async function survey(data: ChunkedData, options?: FindOptions) {
  const { file, chunk, elementSize, filters } = data;
  const plainBytes = countElements(chunk) * elementSize;
  let [count, bytes, masked] = [0, 0, false];
  for await (const chunks of bands(data, options)) {
    bytes += sumCheckedSizes(chunks, file.size);
    count += chunks.length;
    for (const { offset, storedBytes, filterMask } of chunks) {
      masked ||= filterMask !== 0;
      if (filters.length === 0 && storedBytes !== plainBytes) {
        throw new InvalidDataError(`chunk at ${offset.join()} is stored in ${storedBytes} bytes, not ${plainBytes}`);
      }
    }
    if (bytes > file.size) {
      throw new InvalidDataError(`chunks of more than ${file.size} bytes in a file of ${file.size}: some share bytes`);
    }
  }
  return { count, masked };
}

/** Yields the chunks in batches, by ranges of rows. */
async function* bands({ index, shape, chunk }: ChunkedData, options?: FindOptions): AsyncGenerator<StoredChunk[]> {
  if (index === null) return;
  const [first, end] = options?.bands ?? [0, Number.POSITIVE_INFINITY];
  const rows = Math.min(shape[0], end * chunk[0]);
  const across = countElements(computeGridShape(shape, chunk).slice(1));
  const step = Math.max(1, Math.floor(BAND_CHUNKS / Math.max(1, across))) * chunk[0];
  for (let start = first * chunk[0]; start < rows; start += step) {
    options?.signal?.throwIfAborted();
    yield await find(index, [start, Math.min(rows, start + step)], shape, chunk, options);
  }
}

/** @throws {InvalidDataError} for a chunk outside the grid, which would overwrite another chunk. */
async function find(
  index: ChunkIndex,
  [start, end]: readonly [number, number],
  shape: readonly number[],
  chunk: readonly number[],
  options?: ReadOptions,
): Promise<StoredChunk[]> {
  const found = await index.find({ rows: [start, end], shape }, options);
  const seen = new Set<number>();
  const grid = computeGridShape(shape, chunk);
  for (const { offset } of found) {
    const isPlaced = offset.every((at, d) => at % chunk[d] === 0 && at < shape[d]);
    const place = placeOf(offset, chunk, grid);
    if (!isPlaced || offset[0] < start || offset[0] >= end || seen.has(place)) {
      throw new InvalidDataError(`chunk at ${offset.join()} is not in the grid, or there twice`);
    }
    seen.add(place);
  }
  return found;
}

function placeOf(offset: readonly number[], chunk: readonly number[], grid: readonly number[]): number {
  return offset.reduce((place, at, d) => place * grid[d] + at / chunk[d], 0);
}

async function* pieces(data: ChunkedData, options?: FindOptions): AsyncGenerator<StoredChunkBatch> {
  const { file, shape, chunk } = data;
  const grid = computeGridShape(shape, chunk);
  const memory = new Spare();
  for await (const band of bands(data, options)) {
    // The file may have changed since the survey.
    sumCheckedSizes(band, file.size);
    const groups = mergeNeighbours(band);
    const coming: Promise<Uint8Array>[] = [];
    let next = 0;
    for (const group of groups) {
      options?.signal?.throwIfAborted();
      while (next < groups.length && coming.length < AHEAD) coming.push(begun(fetch(file, groups[next++], memory)));
      const bytes = await coming.shift();
      if (bytes === undefined) throw new TypeError("a piece is read");
      const first = group[0].address;
      yield {
        kind: "bytes",
        bytes,
        isOwn: true,
        chunks: group.map(({ offset, address, storedBytes, filterMask }) => ({
          place: placeOf(offset, chunk, grid),
          start: address - first,
          length: storedBytes,
          skipped: filterMask,
        })),
        release: () => memory.give(bytes),
      };
    }
  }
}

async function fetch(file: Hdf5File, group: readonly StoredChunk[], memory: Spare): Promise<Uint8Array> {
  const first = group[0].address;
  const last = group[group.length - 1];
  const bytes = memory.take(last.address + last.storedBytes - first);
  await file.readInto(first, bytes);
  return bytes;
}

/** Marks a promise as handled, because it is awaited later and may fail before then. */
function begun<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Reusable memory. */
class Spare {
  readonly #free: Uint8Array[] = [];

  take(length: number): Uint8Array {
    const at = this.#free.findIndex(({ buffer }) => buffer.byteLength >= length);
    const found = at < 0 ? new Uint8Array(length) : new Uint8Array(this.#free.splice(at, 1)[0].buffer);
    return found.subarray(0, length);
  }

  give(bytes: Uint8Array): void {
    if (this.#free.length < MAX_SPARE && bytes.buffer.byteLength <= MAX_SPARE_BYTES) this.#free.push(bytes);
  }
}

/** Numbers of filters. Source: HDF5 File Format Specification, IV.A.2.l, and the registry of filter plugins. */
const [DEFLATE, SHUFFLE, FLETCHER32, BZIP2, BLOSC, ZSTD] = [1, 2, 3, 307, 32001, 32015];

/** The compressors of Blosc, indexed by the number in the filter's values. */
const BLOSC_COMPRESSORS = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];

function codecOf({ id, values }: Filter, elementSize: number): StoredCodec {
  const hdf5: FilterSpec = { id, values };
  const zarr = (name: string, configuration: Record<string, string | number>) => ({
    hdf5,
    zarr: { name, configuration },
  });
  switch (id) {
    case DEFLATE:
      return zarr("zlib", { level: Math.min(9, values[0] ?? 6) });
    case SHUFFLE:
      return zarr("shuffle", { elementsize: values[0] ?? elementSize });
    case FLETCHER32:
      return zarr("fletcher32", {});
    case BZIP2:
      return zarr("bz2", { level: values[0] ?? 9 });
    case ZSTD:
      return zarr("zstd", { level: values[0] ?? 3 });
    case BLOSC: {
      const [, , , , clevel = 5, shuffle = 1, compressor = 0] = values;
      const cname = BLOSC_COMPRESSORS[compressor];
      return cname === undefined ? { hdf5, zarr: null } : zarr("blosc", { cname, clevel, shuffle, blocksize: 0 });
    }
    default:
      return { hdf5, zarr: null };
  }
}
