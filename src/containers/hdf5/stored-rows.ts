/** Rows of a dataset as they are stored, whatever its layout. */

import type { ReadOptions } from "../../sources/source.js";
import { product } from "../../stored.js";
import { fillWith, readChunkedRows } from "./chunked-rows.js";
import type { Dataset } from "./dataset.js";
import type { FileBytes } from "./file-bytes.js";
import { openChunkIndex } from "./open-chunk-index.js";

/**
 * Rows [start, end) in C order, filters undone, else as stored.
 * @param target of exactly their bytes, whatever it held before.
 */
export type ReadStoredRows = (start: number, end: number, target: Uint8Array, options?: ReadOptions) => Promise<void>;

/** @throws {InvalidDataError} where the dataset cannot have the chunk index that it says. */
export function storedRows(file: FileBytes, dataset: Dataset, extent: readonly number[]): ReadStoredRows {
  const { layout, datatype, fill, filters } = dataset;
  const rowBytes = product(extent.slice(1)) * datatype.size;
  switch (layout.kind) {
    case "compact":
      return async (start, end, target) => target.set(layout.bytes.subarray(start * rowBytes, end * rowBytes));
    case "contiguous": {
      const { address } = layout;
      if (address === null) return async (_start, _end, target) => fillWith(target, fill);
      return (start, _end, target, options) => file.readInto(address + start * rowBytes, target, options);
    }
    case "chunked": {
      const index = openChunkIndex(file, layout, dataset.maximum);
      const { chunk, elementSize, plainEdges } = layout;
      const data = { file, index, shape: extent, chunk, elementSize, filters, plainEdges, fill };
      return (start, end, target, options) => readChunkedRows(data, start, end, target, options);
    }
    case "virtual":
      throw new TypeError("a virtual dataset stores no rows");
    default:
      return layout satisfies never;
  }
}
