/** Reads rows of virtual datasets, which only the library can read. Their text lies in the library's memory. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { joinValues } from "../../../kernels/values/join-values.js";
import { UnsupportedError } from "../../../model/errors.js";
import { countElements, type StoredValues } from "../../../model/stored.js";
import { createLibraryHeap, type Heap } from "../heaps/heap.js";
import type { LibraryFile } from "./library.js";

/** A dataset that is opened with the library. */
export interface LibraryDataset {
  readonly library: LibraryFile;
  readonly path: string;
  readonly extent: readonly number[];
  /** The size in bytes of one element in the library's memory. */
  readonly elementSize: number;
}

type RowRange = readonly [start: number, end: number];

/** Approximate number of bytes per read. Large reads are split, because the library's memory never shrinks. */
const BLOCK_BYTES = 1 << 25;

/** Reads rows with `elementSize` bytes per element, laid out as in the library's memory. */
export async function readFixedRows(
  dataset: LibraryDataset,
  [start, end]: RowRange,
  options?: ReadOptions,
): Promise<Uint8Array> {
  const { library, path, extent, elementSize: size } = dataset;
  checkSize(dataset);
  const rowBytes = countElements(extent.slice(1)) * size;
  const rows = new Uint8Array((end - start) * rowBytes);
  if (extent.length === 0) {
    library.readDataset(path, { offset: [], count: [], bytes: size }, false, (bytes) => rows.set(bytes));
    return rows;
  }
  const rest = countElements(extent.slice(2)) * size;
  // A row that is too large is cut along the second dimension.
  const columns = extent[1] ?? 1;
  const width = extent.length > 1 ? atMost(BLOCK_BYTES / rest, columns) : columns;
  const height = width < columns ? 1 : atMost(BLOCK_BYTES / rowBytes, end);
  for (let row = start; row < end; ) {
    const nextRow = Math.min(end, row + height);
    for (let column = 0; column < columns; column += width) {
      options?.signal?.throwIfAborted();
      const nextColumn = Math.min(columns, column + width);
      const count = extent.map((n, d) => (d === 0 ? nextRow - row : d === 1 ? nextColumn - column : n));
      const offset = extent.map((_, d) => (d === 0 ? row : d === 1 ? column : 0));
      const run = extent.length > 1 ? (nextColumn - column) * rest : size;
      library.readDataset(path, { offset, count, bytes: countElements(count) * size }, false, (bytes) => {
        if (run === rowBytes) return rows.set(bytes, (row - start) * rowBytes);
        for (let r = 0; r < nextRow - row; r++) {
          rows.set(bytes.subarray(r * run, (r + 1) * run), (row - start + r) * rowBytes + column * rest);
        }
      });
    }
    row = nextRow;
  }
  return rows;
}

/** Returns the largest integer that exceeds neither `wanted` nor `all`, but at least 1. */
function atMost(wanted: number, all: number): number {
  return Math.max(1, Math.min(Math.floor(wanted), all));
}

/** Number of elements in the first block of text, and bytes of text per block afterwards. */
const FIRST_ELEMENTS = 1 << 12;
const MAX_ELEMENTS = 1 << 18;
const TEXT_BYTES = 1 << 23;

/**
 * Reads rows of a type with variable-length text, and decodes them block by block. The length of the text is known only
 * afterwards.
 * @param decode decodes the bytes of `count` elements, with a heap that is valid only during the call.
 */
export async function readVariableRows(
  dataset: LibraryDataset,
  [start, end]: RowRange,
  decode: (bytes: Uint8Array, count: number, heap: Heap) => StoredValues,
  options?: ReadOptions,
): Promise<StoredValues> {
  const { library, path, extent, elementSize: size } = dataset;
  checkSize(dataset);
  const perRow = countElements(extent.slice(1));
  const parts: StoredValues[] = [];
  let wanted = FIRST_ELEMENTS;
  for (let row = start; row < end; ) {
    options?.signal?.throwIfAborted();
    const rows = Math.min(end - row, Math.max(1, Math.floor(wanted / perRow)));
    const count = extent.map((n, d) => (d === 0 ? rows : n));
    const offset = extent.map((_, d) => (d === 0 ? row : 0));
    const elements = rows * perRow;
    const part = library.readDataset(path, { offset, count, bytes: elements * size }, true, (bytes, memory) =>
      decode(bytes.slice(), elements, createLibraryHeap(memory)),
    );
    parts.push(part);
    row += rows;
    const each = Math.max(1, textBytes(part) / elements);
    wanted = Math.max(1, Math.min(MAX_ELEMENTS, Math.floor(TEXT_BYTES / each)));
  }
  return joinValues(parts);
}

function textBytes(values: StoredValues): number {
  switch (values.kind) {
    case "fixed":
      return values.values.byteLength;
    case "variable":
      return values.bytes.length;
    case "record":
      return values.fields.reduce((sum, field) => sum + textBytes(field), 0);
    case "sequence":
      return values.offsets.byteLength + textBytes(values.values);
    default:
      return values satisfies never;
  }
}

/** Checks that libhdf5's element size equals the size computed by `inMemory`. */
function checkSize({ library, path, elementSize }: LibraryDataset): void {
  const told = library.elementSize(path);
  if (told !== elementSize)
    throw new UnsupportedError(`type of ${elementSize} bytes, which the library takes for ${told} bytes`);
}
