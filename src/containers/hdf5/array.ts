/** One dataset as a stored array. */

import { InvalidDataError, InvalidInputError, located, UnsupportedError } from "../../errors.js";
import { joinValues } from "../../kernels/join-values.js";
import type { ReadOptions } from "../../sources/source.js";
import { product, type StoredValues } from "../../stored.js";
import type { AttributeValue, StoredArray } from "../container.js";
import { areDecodable } from "./chunk-filters.js";
import { ChunkTree } from "./chunk-tree.js";
import { type ChunkedData, readChunkedRows } from "./chunked-rows.js";
import type { Dataset } from "./dataset.js";
import { type Datatype, isVariable } from "./datatype.js";
import { decodeValues } from "./decode-values.js";
import type { FileBytes } from "./file-bytes.js";
import { parseFillValue } from "./fill-value.js";
import { filterName } from "./filter-pipeline.js";
import { GlobalHeap } from "./global-heap.js";
import { type Heap, joinText, NO_HEAP } from "./heap.js";
import type { LazyLibrary } from "./lazy-library.js";
import { readFixedRows, readVariableRows } from "./library-rows.js";
import { inMemory } from "./memory-layout.js";
import { elementType } from "./stored-type.js";

export interface ArrayContext {
  readonly source: string;
  readonly file: FileBytes;
  readonly library: LazyLibrary;
}

/** Bytes fetched at once from a contiguous dataset. */
const PIECE = 1 << 25;

/** Larger results do not fit one typed array on every engine; who wants them reads ranges. */
const MAX_RESULT_BYTES = 2 ** 32;

/**
 * @param path in the container; `hardPath` is where it lies for the library.
 * @param dataset its description, already checked against the file's size.
 */
export function hdf5Array(
  context: ArrayContext,
  path: string,
  hardPath: string,
  id: string,
  attributes: ReadonlyMap<string, AttributeValue>,
  dataset: Dataset,
): StoredArray {
  const element = elementType(dataset.datatype);
  const { extent, layout } = dataset;
  const rows = rowReader(context, hardPath, dataset);
  const shape = extent === null ? null : [...extent, ...element.shape];
  return {
    kind: "array",
    path,
    id,
    attributes,
    type: element.type,
    shape,
    chunks: layout.kind === "chunked" ? [...layout.chunk, ...element.shape] : null,
    read: (start, end, options) =>
      located({ source: context.source, element: path }, async () => {
        options?.signal?.throwIfAborted();
        checkRange(shape, start, end);
        if (element.type.kind === "unsupported") throw new UnsupportedError(`type: ${element.type.name}`);
        await checkFilters(context.library, dataset, options);
        return await rows(start, end, options);
      }),
  };
}

/** Whether our own code reads the array; else the library does, with the filters that it has. */
function isReadHere({ filters, layout }: Dataset): boolean {
  return areDecodable(filters) && !(layout.kind === "chunked" && layout.tree === "newer");
}

async function checkFilters(library: LazyLibrary, dataset: Dataset, options?: ReadOptions): Promise<void> {
  if (dataset.filters.length === 0 || isReadHere(dataset)) return;
  const known = (await library.open(options)).filters;
  const missing = dataset.filters.filter(({ id }) => !known.has(id));
  if (missing.length === 0) return;
  throw new UnsupportedError(`HDF5 filter ${missing.map(({ id }) => filterName(id)).join(", ")}`);
}

function checkRange(shape: readonly number[] | null, start: number, end: number): void {
  if (shape === null) throw new InvalidInputError("a null dataspace has no values");
  const size = shape.length === 0 ? 1 : shape[0];
  if (!(Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end <= size)) {
    throw new InvalidInputError(`rows ${start} to ${end} of ${size}`);
  }
}

type ReadRows = (start: number, end: number, options?: ReadOptions) => Promise<StoredValues>;

function rowReader(context: ArrayContext, hardPath: string, dataset: Dataset): ReadRows {
  const { datatype, extent, layout } = dataset;
  if (extent === null) return () => Promise.reject(new InvalidInputError("a null dataspace has no values"));
  const chunked = chunkedData(context, dataset, extent);
  const decodable = isReadHere(dataset);
  const variable = isVariable(datatype);
  const memory = decodable ? datatype : inMemory(datatype);
  return async (start, end, options) => {
    // A scalar's rows, if it has any, are those of its array datatype: it is read whole.
    const [low, high] = extent.length === 0 ? [0, 1] : [start, end];
    const elements = (high - low) * product(extent.slice(1));
    if (elements * memory.size > MAX_RESULT_BYTES) {
      throw new InvalidInputError(`${elements * memory.size} bytes in one read; at most ${MAX_RESULT_BYTES}`);
    }
    const decode = (bytes: Uint8Array, count: number, heap: Heap): StoredValues =>
      extent.length === 0 ? decodePart(memory, bytes, start, end, heap) : decodeValues(memory, bytes, count, heap);
    if (elements === 0) return decodeValues(memory, new Uint8Array(0), 0, EMPTY_HEAP);
    if (!decodable) {
      const { file: library } = await context.library.open(options);
      if (variable) return await readVariableRows(library, hardPath, extent, low, high, memory.size, decode, options);
      const bytes = await readFixedRows(library, hardPath, layout, extent, low, high, memory.size, options);
      return decode(bytes, elements, NO_HEAP);
    }
    const fill = parseFillValue(dataset.messages, datatype.size);
    const bytes =
      chunked === null
        ? await readPlainRows(context.file, dataset, low, high, elements, fill, options)
        : await readChunkedRows(chunked, low, high, fill, options);
    return variable
      ? await decodeWithHeap(context.file, memory, bytes, elements, decode, options)
      : decode(bytes, elements, NO_HEAP);
  };
}

/** Elements whose text is fetched at once. */
const HEAP_ELEMENTS = 1 << 16;

const EMPTY_HEAP: Heap = { ...NO_HEAP, text: (_elements, count) => joinText(count, () => null) };

async function decodeWithHeap(
  file: FileBytes,
  type: Datatype,
  bytes: Uint8Array,
  count: number,
  decode: (bytes: Uint8Array, count: number, heap: Heap) => StoredValues,
  options?: ReadOptions,
): Promise<StoredValues> {
  const heap = new GlobalHeap(file);
  const parts: StoredValues[] = [];
  for (let done = 0; done < count; done += HEAP_ELEMENTS) {
    const some = Math.min(HEAP_ELEMENTS, count - done);
    const elements = bytes.subarray(done * type.size, (done + some) * type.size);
    await heap.fetch(type, elements, some, options);
    parts.push(decode(elements, some, heap));
  }
  return joinValues(parts);
}

function chunkedData({ file }: ArrayContext, dataset: Dataset, shape: readonly number[]): ChunkedData | null {
  const { layout, filters } = dataset;
  if (layout.kind !== "chunked" || layout.tree === "newer") return null;
  const { chunk, elementSize } = layout;
  const tree = layout.tree === null ? null : new ChunkTree(file, layout.tree, chunk);
  return { file, tree, shape, chunk, elementSize, filters };
}

/** Rows of a contiguous or compact dataset, in memory of their own. */
async function readPlainRows(
  file: FileBytes,
  { layout, datatype, extent }: Dataset,
  start: number,
  end: number,
  elements: number,
  fill: Uint8Array,
  options?: ReadOptions,
): Promise<Uint8Array> {
  const rowBytes = product(extent?.slice(1) ?? []) * datatype.size;
  if (layout.kind === "compact") return layout.bytes.slice(start * rowBytes, end * rowBytes);
  const rows = new Uint8Array(elements * datatype.size);
  if (layout.kind !== "contiguous" || layout.address === null) {
    for (let at = 0; at < rows.length; at += fill.length) rows.set(fill, at);
    return rows;
  }
  for (let done = 0; done < rows.length; done += PIECE) {
    const length = Math.min(PIECE, rows.length - done);
    rows.set(await file.read(layout.address + start * rowBytes + done, length, options), done);
  }
  return rows;
}

/** Rows [start, end) of a scalar's array datatype, or the scalar itself. */
function decodePart(type: Datatype, bytes: Uint8Array, start: number, end: number, heap: Heap): StoredValues {
  if (type.class !== "array")
    return decodeValues(type, bytes.subarray(0, (end - start) * type.size), end - start, heap);
  const rowBytes = type.size / type.shape[0];
  const count = ((end - start) * rowBytes) / type.base.size;
  if (!Number.isInteger(count)) throw new InvalidDataError(`array type of ${type.shape.join(" x ")} has no rows`);
  return decodeValues(type.base, bytes.slice(start * rowBytes, end * rowBytes), count, heap);
}
