/** A dataset as a stored array. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { joinValues } from "../../../kernels/values/join-values.js";
import { InvalidDataError, InvalidInputError, runWithLocation, UnsupportedError } from "../../../model/errors.js";
import {
  allocate,
  countElements,
  type FixedValues,
  type StoredType,
  type StoredValues,
  viewAsBytes,
  viewAsNumbers,
} from "../../../model/stored.js";
import type { ArrayPlan, AttributeValue, Capabilities, ReadBoxChunks, StoredArray } from "../../tree/container.js";
import { isNumber, type StoredChunks } from "../../tree/stored-chunks.js";
import { readChunkedBlocks } from "../chunks/chunked-box.js";
import { isUnfiltered } from "../chunks/chunked-rows.js";
import { areDecodableInWorkers, checkDecodable } from "../chunks/filters.js";
import type { ChunkedData } from "../chunks/read-chunks.js";
import { createHdf5StoredChunks } from "../chunks/stored-chunks.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { GlobalHeap, readHeapText } from "../heaps/global-heap.js";
import { EMPTY_HEAP, type Heap, NO_HEAP } from "../heaps/heap.js";
import { readFixedRows, readVariableRows } from "../library/library-rows.js";
import { type Datatype, isVariable } from "../types/datatype.js";
import { getMemoryType } from "../types/memory-layout.js";
import { findNativeConversion, getElementType, isComplex, isNative } from "../types/stored-type.js";
import type { Hdf5Dataset } from "./dataset.js";
import { decodeValues } from "./decode-values.js";
import type { HeaderContent } from "./header-cache.js";
import { type ArrayContext, createStoredData, isReadHere, type ReadStoredRows } from "./stored-rows.js";
import { createViewedArray, hasViews } from "./viewed-array.js";
import { countUnwritten } from "./virtual-sources.js";

/**
 * Maximum size of a result in bytes. Larger results do not fit into one typed array on every engine; callers read
 * ranges instead.
 */
const MAX_RESULT_BYTES = 2 ** 32;

export interface ArrayNames {
  /** The path in the container. */
  readonly path: string;
  /** The path through hard links, which the library uses to find the array. */
  readonly hardPath: string;
  /** The identity of the object, equal for all paths to it. */
  readonly id: string;
}

type Attributes = ReadonlyMap<string, AttributeValue>;

/** @param dataset the dataset's description, already checked against the file's size. */
export function createHdf5Array(
  context: ArrayContext,
  names: ArrayNames,
  attributes: Attributes,
  dataset: Hdf5Dataset,
): StoredArray {
  const { extent, datatype, filters } = dataset;
  if (
    dataset.layout.kind !== "compact" ||
    extent === null ||
    filters.length > 0 ||
    findNativeConversion(datatype) === null
  ) {
    return fullArray(context, names, attributes, dataset);
  }
  const { type, shape } = getElementType(datatype);
  if (type.kind === "unsupported") return fullArray(context, names, attributes, dataset);
  const { bytes } = dataset.layout;
  // The full array is created on demand: a file can hold very many compact datasets, and for most of them only
  // `getMemoryType` is called.
  let full: StoredArray | null = null;
  const whole = (): StoredArray => {
    full ??= fullArray(context, names, attributes, dataset);
    return full;
  };
  return {
    ...{ kind: "array", path: names.path, id: names.id, attributes, type, shape: [...extent, ...shape], chunks: null },
    ...planned(context.file, names, dataset),
    capabilities: {
      inMemory: () => valuesInHeader(dataset, bytes),
      view: hasViews(dataset) ? (view) => createViewedArray(context, whole(), dataset, view) : undefined,
    },
    read: (start, end, options) => whole().read(start, end, options),
    readInto: extent.length === 0 ? undefined : async (...args) => await whole().readInto?.(...args),
  };
}

/**
 * Makes the array for a dataset with few values, which the caller has already read.
 * @param content the content of the dataset's header, without the values.
 * @param found the bytes of the values, which are copied.
 */
export function createArrayFromValues(
  context: ArrayContext,
  names: ArrayNames,
  { dataset: like, element, attributes }: HeaderContent,
  found: Uint8Array,
): StoredArray {
  const { path, id } = names;
  const { type } = element;
  // Typed arrays of a few bytes do not need separate memory, as long as nothing reads their `buffer`.
  const own = found.byteOffset % 8 === 0 ? viewAsNumbers(type, found).slice() : viewAsNumbers(type, found.slice());
  const values: FixedValues = { kind: "fixed", values: own };
  let full: { readonly array: StoredArray; readonly dataset: Hdf5Dataset } | null = null;
  const whole = () => {
    if (full === null) {
      const dataset: Hdf5Dataset = { ...like, layout: { kind: "compact", bytes: viewAsBytes(own) } };
      full = { dataset, array: fullArray(context, names, attributes, dataset) };
    }
    return full;
  };
  return {
    kind: "array",
    path,
    id,
    attributes,
    type,
    shape: like.extent,
    chunks: null,
    capabilities: {
      inMemory: () => values,
      view: (view) => {
        const { array, dataset } = whole();
        return createViewedArray(context, array, dataset, view);
      },
    },
    read: (start, end, options) => whole().array.read(start, end, options),
    readInto: async (...args) => await whole().array.readInto?.(...args),
  };
}

function fullArray(
  context: ArrayContext,
  names: ArrayNames,
  attributes: Attributes,
  dataset: Hdf5Dataset,
): StoredArray {
  const { path, hardPath, id } = names;
  const element = getElementType(dataset.datatype);
  const { extent, layout } = dataset;
  const stored = extent !== null && isReadHere(dataset) ? createStoredData(context.file, dataset, extent) : null;
  const into = stored === null ? null : nativeReader(dataset, element.type, stored.rows);
  const rows = rowReader(context, hardPath, dataset, stored?.rows ?? null, into);
  const blocks = stored?.chunked ? blockReader(dataset, element.type, stored.chunked) : null;
  const shape = extent === null ? null : [...extent, ...element.shape];
  const here = { source: context.source, element: path };
  const array: StoredArray = {
    kind: "array",
    path,
    id,
    attributes,
    type: element.type,
    shape,
    chunks: layout.kind !== "chunked" || isWhole(dataset) ? null : [...layout.chunk, ...element.shape],
    ...planned(context.file, names, dataset),
    read: (start, end, options) =>
      runWithLocation(here, async () => {
        options?.signal?.throwIfAborted();
        checkRange(shape, start, end);
        if (element.type.kind === "unsupported") throw new UnsupportedError(`type: ${element.type.name}`);
        checkDecodable(dataset.filters);
        return await rows(start, end, options);
      }),
    readInto:
      into === null
        ? undefined
        : (start, end, target, options) =>
            runWithLocation(here, async () => {
              options?.signal?.throwIfAborted();
              checkRange(shape, start, end);
              await into(start, end, target, options);
            }),
    capabilities: {
      blocks:
        blocks === null
          ? undefined
          : (box, visit, options) =>
              runWithLocation(here, async () => {
                options?.signal?.throwIfAborted();
                await blocks(box, visit, options);
              }),
      view: hasViews(dataset) ? (view) => createViewedArray(context, array, dataset, view) : undefined,
      ...partsOfRecords(context, names, attributes, dataset),
      ...keptChunks(dataset, element.type, stored?.chunked ?? null, here),
    },
  };
  return array;
}

/** Creates the capabilities of compounds. Other members of the same records are read as bytes, but not decoded. */
function partsOfRecords(
  context: ArrayContext,
  names: ArrayNames,
  attributes: Attributes,
  dataset: Hdf5Dataset,
): Pick<Capabilities, "withFields" | "rowBytes"> {
  const { datatype, extent } = dataset;
  if (datatype.class !== "compound" || isComplex(datatype) || extent === null || !isReadHere(dataset)) return {};
  return {
    rowBytes: countElements(extent.slice(1)) * datatype.size,
    withFields: (fields) => {
      const part = { ...datatype, members: fields.map((field) => datatype.members[field]) };
      if (isComplex(part)) return null;
      return fullArray(context, names, attributes, { ...dataset, datatype: part });
    },
  };
}

/**
 * Returns an object that copies numeric chunks as they are; empty if other containers would interpret them differently.
 */
function keptChunks(
  { datatype, fill }: Hdf5Dataset,
  type: StoredType,
  chunked: ChunkedData | null,
  names: { readonly source: string; readonly element: string },
): { readonly storedChunks?: StoredChunks } {
  // All containers define missing chunks as zeros, but only HDF5 has edge chunks without filters.
  if (chunked === null || chunked.plainEdges || fill.some((byte) => byte !== 0)) return {};
  if (datatype.class === "array" || !isNumber(type) || !isNative(datatype)) return {};
  return { storedChunks: createHdf5StoredChunks(chunked, names) };
}

/** True if reading a range of rows costs no more than the size of that range. */
function isWhole({ extent, filters }: Hdf5Dataset): boolean {
  return extent !== null && isUnfiltered({ shape: extent, filters });
}

/** Creates the plan for an array that this library's own code reads from a file that a worker can open. */
function planned(file: Hdf5File, { path, hardPath, id }: ArrayNames, dataset: Hdf5Dataset) {
  const from = file.plan;
  if (from === null || !isReadHere(dataset) || !areDecodableInWorkers(dataset.filters)) return {};
  const { source, base } = from;
  const plan: ArrayPlan = {
    container: "hdf5",
    source,
    array: { path, hardPath, id, base, sizes: file.sizes, dataset },
  };
  return { plan };
}

function checkRange(shape: readonly number[] | null, start: number, end: number): void {
  if (shape === null) throw new InvalidInputError("a null dataspace has no values");
  const size = shape.length === 0 ? 1 : shape[0];
  if (!(Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end <= size)) {
    throw new InvalidInputError(`rows ${start} to ${end} of ${size}`);
  }
}

type ReadRows = (start: number, end: number, options?: ReadOptions) => Promise<StoredValues>;

/**
 * Makes a reader that reads values straight into their final memory. Returns null if decoded values differ from their
 * stored bytes.
 */
function nativeReader(
  { datatype, extent }: Hdf5Dataset,
  type: StoredType,
  stored: ReadStoredRows,
): ReadStoredRows | null {
  const makeNative = findNativeConversion(datatype);
  // A scalar has no dimensions. If it has rows, they are the rows of its array datatype.
  if (makeNative === null || type.kind === "unsupported" || extent === null || extent.length === 0) return null;
  const rowBytes = countElements(extent.slice(1)) * datatype.size;
  return async (start, end, target, options) => {
    if (target.length !== (end - start) * rowBytes) {
      throw new InvalidInputError(`memory of ${target.length} bytes for values of ${(end - start) * rowBytes} bytes`);
    }
    await stored(start, end, target, options);
    makeNative(target);
  };
}

/** Decodes, in their native form, the values of a dataset that are stored in its header. */
function valuesInHeader({ datatype, extent }: Hdf5Dataset, stored: Uint8Array): StoredValues {
  const element = getElementType(datatype);
  const values = allocate(element.type, countElements(extent ?? []) * countElements(element.shape));
  const bytes = viewAsBytes(values);
  bytes.set(stored.subarray(0, bytes.length));
  findNativeConversion(datatype)?.(bytes);
  return { kind: "fixed", values };
}

/** Creates a reader of blocks; null for a dataset that is not a matrix of numbers. */
function blockReader({ datatype, extent }: Hdf5Dataset, type: StoredType, chunked: ChunkedData): ReadBoxChunks | null {
  const makeNative = findNativeConversion(datatype);
  const isNumber = type.kind === "bool" || type.kind === "int" || type.kind === "float";
  if (makeNative === null || !isNumber || extent?.length !== 2 || datatype.class === "array") return null;
  return (box, visit, options) => readChunkedBlocks(chunked, makeNative, box, visit, options);
}

function rowReader(
  context: ArrayContext,
  hardPath: string,
  dataset: Hdf5Dataset,
  stored: ReadStoredRows | null,
  into: ReadStoredRows | null,
): ReadRows {
  const { datatype, extent } = dataset;
  if (extent === null) return () => Promise.reject(new InvalidInputError("a null dataspace has no values"));
  const element = getElementType(datatype);
  const variable = isVariable(datatype);
  const memory = stored !== null ? datatype : getMemoryType(datatype);
  return async (start, end, options) => {
    // A scalar has rows only inside its array datatype, so the scalar is read whole.
    const [low, high] = extent.length === 0 ? [0, 1] : [start, end];
    const elements = (high - low) * countElements(extent.slice(1));
    if (elements * memory.size > MAX_RESULT_BYTES) {
      throw new InvalidInputError(`${elements * memory.size} bytes in one read; at most ${MAX_RESULT_BYTES}`);
    }
    if (into !== null) {
      const values = allocate(element.type, elements * countElements(element.shape));
      await into(start, end, viewAsBytes(values), options);
      return { kind: "fixed", values };
    }
    const decode = (bytes: Uint8Array, count: number, heap: Heap): StoredValues =>
      extent.length === 0 ? decodePart(memory, bytes, start, end, heap) : decodeValues(memory, bytes, count, heap);
    if (elements === 0) return decodeValues(memory, new Uint8Array(0), 0, EMPTY_HEAP);
    if (stored === null) {
      countUnwritten(dataset, elements * memory.size, options);
      const { file: library } = await context.library.open(options);
      const inLibrary = { library, path: hardPath, extent, elementSize: memory.size };
      if (variable) return await readVariableRows(inLibrary, [low, high], decode, options);
      const bytes = await readFixedRows(inLibrary, [low, high], options);
      return decode(bytes, elements, NO_HEAP);
    }
    const bytes = new Uint8Array(elements * datatype.size);
    await stored(low, high, bytes, options);
    if (memory.class === "variable-string" && extent.length > 0) {
      return await readHeapText(context.file, memory, bytes, options);
    }
    return variable
      ? await decodeWithHeap(context.file, memory, bytes, elements, decode, options)
      : decode(bytes, elements, NO_HEAP);
  };
}

/** Number of elements whose text is fetched at a time. */
const HEAP_ELEMENTS = 1 << 16;

async function decodeWithHeap(
  file: Hdf5File,
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

/** Decodes the rows [start, end) of a scalar's array datatype, or the scalar itself. */
function decodePart(type: Datatype, bytes: Uint8Array, start: number, end: number, heap: Heap): StoredValues {
  if (type.class !== "array")
    return decodeValues(type, bytes.subarray(0, (end - start) * type.size), end - start, heap);
  const rowBytes = type.size / type.shape[0];
  const count = ((end - start) * rowBytes) / type.base.size;
  if (!Number.isInteger(count)) throw new InvalidDataError(`array type of ${type.shape.join(" x ")} has no rows`);
  return decodeValues(type.base, bytes.slice(start * rowBytes, end * rowBytes), count, heap);
}
