/** Reads rows of a dataset with any layout, in their stored form. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { countElements } from "../../../model/stored.js";
import { fillUnwritten, readChunkedRows } from "../chunks/chunked-rows.js";
import { areDecodable } from "../chunks/filters.js";
import { openChunkIndex } from "../chunks/open-chunk-index.js";
import type { ChunkedData } from "../chunks/read-chunks.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import type { LazyLibrary } from "../library/lazy-library.js";
import type { Hdf5Dataset } from "./dataset.js";

/**
 * The context for reading any dataset in a file: the file's name for errors, its bytes, and libhdf5 for virtual
 * datasets.
 */
export interface ArrayContext {
  readonly source: string;
  readonly file: Hdf5File;
  readonly library: LazyLibrary;
}

/**
 * Reads the rows [start, end) in C order. Filters are undone; otherwise values stay as stored.
 * @param target memory of exactly the rows' size, with arbitrary contents.
 */
export type ReadStoredRows = (start: number, end: number, target: Uint8Array, options?: ReadOptions) => Promise<void>;

/**
 * True if this library's own code reads the dataset. Virtual datasets are left to libhdf5, and datasets with a filter
 * unknown to this library are refused.
 */
export function isReadHere({ filters, layout }: Hdf5Dataset): boolean {
  return layout.kind !== "virtual" && areDecodable(filters);
}

export interface StoredData {
  readonly rows: ReadStoredRows;
  /** Null if the dataset is not chunked. */
  readonly chunked: ChunkedData | null;
}

/** @throws {InvalidDataError} if the dataset cannot have the chunk index that it declares. */
export function createStoredRowReader(file: Hdf5File, dataset: Hdf5Dataset, extent: readonly number[]): ReadStoredRows {
  return createStoredData(file, dataset, extent).rows;
}

/** @throws {InvalidDataError} if the dataset cannot have the chunk index that it declares. */
export function createStoredData(file: Hdf5File, dataset: Hdf5Dataset, extent: readonly number[]): StoredData {
  const { layout, datatype, fill, filters } = dataset;
  const rowBytes = countElements(extent.slice(1)) * datatype.size;
  const unchunked = (rows: ReadStoredRows): StoredData => ({ rows, chunked: null });
  switch (layout.kind) {
    case "compact":
      return unchunked(async (start, end, target) =>
        target.set(layout.bytes.subarray(start * rowBytes, end * rowBytes)),
      );
    case "contiguous": {
      const { address } = layout;
      if (address === null) {
        return unchunked(async (_start, _end, target, options) => fillUnwritten(target, fill, options));
      }
      return unchunked((start, _end, target, options) => file.readInto(address + start * rowBytes, target, options));
    }
    case "chunked": {
      const index = openChunkIndex(file, layout, dataset.maximum);
      const { chunk, elementSize, plainEdges } = layout;
      const chunked = { file, index, shape: extent, chunk, elementSize, filters, plainEdges, fill };
      return { chunked, rows: (start, end, target, options) => readChunkedRows(chunked, start, end, target, options) };
    }
    case "virtual":
      throw new TypeError("a virtual dataset stores no rows");
    default:
      return layout satisfies never;
  }
}
