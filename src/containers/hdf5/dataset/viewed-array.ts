/** A view of a dataset: with its dimensions reversed, flattened to one dimension, or with bytes as booleans. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { copyReversed } from "../../../kernels/dense/place-reversed.js";
import { InvalidInputError, runWithLocation, UnsupportedError } from "../../../model/errors.js";
import {
  allocate,
  countElements,
  getDecodedSize,
  type StoredType,
  type StoredValues,
  viewAsBytes,
} from "../../../model/stored.js";
import type { ArrayView, StoredArray } from "../../tree/container.js";
import { NO_HEAP } from "../heaps/heap.js";
import { isVariable } from "../types/datatype.js";
import { findNativeConversion } from "../types/stored-type.js";
import type { Hdf5Dataset } from "./dataset.js";
import { decodeValues } from "./decode-values.js";
import { createReversedRowReader, getReversedChunkShape, getReversedRowCount } from "./reversed-rows.js";
import { type ArrayContext, createStoredRowReader, isReadHere, type ReadStoredRows } from "./stored-rows.js";

/**
 * Maximum size in bytes of a dataset that is read whole before its dimensions are reversed. This happens if only
 * libhdf5 can read it.
 */
const MAX_WHOLE_BYTES = 2 ** 28;

/**
 * Maximum size of a result in bytes. Larger results do not fit into one typed array on every engine; callers read
 * ranges instead.
 */
const MAX_RESULT_BYTES = 2 ** 32;

/** True if `createViewedArray` can return the dataset in another form. */
export function hasViews({ datatype, extent }: Hdf5Dataset): boolean {
  return extent !== null && extent.length > 0 && datatype.class !== "array" && !isVariable(datatype);
}

/**
 * @param array the dataset in its stored form.
 * @throws {UnsupportedError} if the values do not have the requested form.
 */
export function createViewedArray(
  { source, file }: ArrayContext,
  array: StoredArray,
  dataset: Hdf5Dataset,
  view: ArrayView,
): StoredArray {
  const { datatype, extent } = dataset;
  if (extent === null || !hasViews(dataset)) throw new UnsupportedError("values that have no other form");
  const type = viewedType(array.type, view.bool);
  const last = extent[extent.length - 1];
  const isFlat = view.form === "flat";
  if (isFlat && countElements(extent) !== Math.max(...extent)) {
    throw new UnsupportedError(`shape ${extent.join(" x ")} has more than one dimension`);
  }
  // The long dimension of a flat view is either the first dimension, along which rows are stored, or the last one.
  const byRows = isFlat && countElements(extent) === extent[0];
  const byColumns = !byRows && (!isFlat || countElements(extent) === last);
  if (!byRows && !byColumns)
    throw new UnsupportedError(`shape ${extent.join(" x ")} is read along its first or last dimension`);
  const shape = isFlat ? [countElements(extent)] : [...extent].reverse();
  const rowBytes = countElements(shape.slice(1)) * datatype.size;
  const chunks = byRows ? array.chunks : isReadHere(dataset) ? getReversedChunkShape(dataset, file.copies) : shape;
  const rowsAtOnce = isFlat || !isReadHere(dataset) ? undefined : getReversedRowCount(dataset, file.copies);
  const stored = isReadHere(dataset)
    ? byRows
      ? createStoredRowReader(file, dataset, extent)
      : createReversedRowReader(file, dataset, extent)
    : null;
  const makeNative = findNativeConversion(datatype);
  const here = { source, element: array.path };
  const check = (start: number, end: number, options?: ReadOptions) => {
    options?.signal?.throwIfAborted();
    if (!(Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end <= shape[0])) {
      throw new InvalidInputError(`rows ${start} to ${end} of ${shape[0]}`);
    }
    if ((end - start) * rowBytes > MAX_RESULT_BYTES) {
      throw new InvalidInputError(`${(end - start) * rowBytes} bytes in one read; at most ${MAX_RESULT_BYTES}`);
    }
  };
  const into: ReadStoredRows | null =
    stored === null || makeNative === null
      ? null
      : async (start, end, target, options) => {
          await stored(start, end, target, options);
          makeNative(target);
        };
  const { kind, path, id, attributes, plan } = array;
  return {
    ...{ kind, path, id, attributes, type, shape },
    chunks: chunks === null ? null : isFlat ? [Math.max(...chunks)] : chunks,
    capabilities: rowsAtOnce === undefined ? undefined : { rowsAtOnce },
    plan: plan?.container === "hdf5" ? { ...plan, array: { ...plan.array, view } } : undefined,
    read: (start, end, options) =>
      runWithLocation(here, async () => {
        check(start, end, options);
        const count = (end - start) * countElements(shape.slice(1));
        if (into !== null) {
          const values = allocate(type, count);
          await into(start, end, viewAsBytes(values), options);
          return { kind: "fixed", values };
        }
        if (stored === null) return await readWhole(array, extent, [start, end], byRows, options);
        const bytes = new Uint8Array(count * datatype.size);
        await stored(start, end, bytes, options);
        return decodeValues(datatype, bytes, count, NO_HEAP);
      }),
    readInto:
      into === null
        ? undefined
        : (start, end, target, options) =>
            runWithLocation(here, async () => {
              check(start, end, options);
              await into(start, end, target, options);
            }),
  };
}

function viewedType(type: StoredType, bool: boolean): StoredType {
  if (!bool || type.kind === "bool") return type;
  if (type.kind === "int" && type.bits === 8) return { kind: "bool" };
  throw new UnsupportedError(`values of type ${type.kind} are no booleans`);
}

/** Reads rows of a view whose array only libhdf5 can read. */
async function readWhole(
  array: StoredArray,
  extent: readonly number[],
  [start, end]: readonly [number, number],
  byRows: boolean,
  options?: ReadOptions,
): Promise<StoredValues> {
  if (byRows) return await array.read(start, end, options);
  const size = getDecodedSize(array.type);
  const bytes = countElements(extent) * (size ?? 0);
  if (size === null || array.type.kind === "record" || bytes > MAX_WHOLE_BYTES) {
    throw new UnsupportedError(`${bytes} bytes that only libhdf5 reads, in reverse order of dimensions`);
  }
  const read = await array.read(0, extent[0], options);
  if (read.kind !== "fixed") throw new UnsupportedError("values of no fixed size in reverse order of dimensions");
  const values = allocate(array.type, (end - start) * countElements(extent.slice(0, -1)));
  const whole = { offset: extent.map(() => 0), shape: extent };
  copyReversed(viewAsBytes(read.values), whole, extent, [start, end], viewAsBytes(values), size);
  return { kind: "fixed", values };
}
