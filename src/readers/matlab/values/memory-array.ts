/** In-memory arrays, and arrays that concatenate several datasets. */

import { encodeStoredTexts } from "../../../arrow/text.js";
import type { StoredArray } from "../../../containers/tree/container.js";
import type { ReadOptions } from "../../../io/sources/source.js";
import { joinValues } from "../../../kernels/values/join-values.js";
import { sliceRows } from "../../../kernels/values/stored-rows.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { allocate, countElements, type StoredType, type StoredValues } from "../../../model/stored.js";
import { mapConcurrently } from "../../concurrency.js";

const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

export function createMatlabTextArray(
  path: string,
  texts: readonly string[],
  shape: readonly number[] = [texts.length],
): StoredArray {
  const per = countElements(shape.slice(1));
  // Texts are encoded on demand, because most texts in a cell are encoded together as one column.
  let values: StoredValues | null = null;
  const inMemory = () => {
    values ??= encodeStoredTexts(texts);
    return values;
  };
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), type: TEXT, shape, chunks: null },
    read: async (start, end) => sliceRows(TEXT, inMemory(), per, [start, end]),
    capabilities: { inMemory },
  };
}

/** Maximum length of a list in Arrow. */
const MAX_LIST = 2 ** 31 - 1;

/**
 * Creates an array without values, whose shape has a length of 0.
 * @throws {UnsupportedError} if Arrow cannot represent its rows.
 */
export function emptyArray(path: string, type: StoredType, shape: readonly number[]): StoredArray {
  const tooLong = shape.slice(1).find((size) => size > MAX_LIST);
  if (tooLong !== undefined) throw new UnsupportedError(`rows of ${tooLong} values; at most ${MAX_LIST} are read`);
  const values: StoredValues =
    type.kind === "text"
      ? { kind: "variable", offsets: new Int32Array(1), bytes: new Uint8Array(0) }
      : { kind: "fixed", values: allocate(type, 0) };
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), type, shape, chunks: null },
    read: async () => values,
  };
}

/** Reads the values [start, end) of a dataset in stored order. */
async function flatRange(
  array: StoredArray,
  start: number,
  end: number,
  options: ReadOptions | undefined,
): Promise<StoredValues> {
  const per = countElements(array.shape?.slice(1) ?? []);
  const first = Math.floor(start / per);
  const values = await array.read(first, Math.ceil(end / per), options);
  return sliceRows(array.type, values, 1, [start - first * per, end - first * per]);
}

type FlatRange = readonly [array: StoredArray, start: number, end: number];

/** Reads ranges of arrays. Ranges that are not in memory are read concurrently. */
async function rangeValues(
  type: StoredType,
  ranges: readonly FlatRange[],
  options: ReadOptions | undefined,
): Promise<StoredValues[]> {
  const values: StoredValues[] = new Array(ranges.length);
  const stored: number[] = [];
  for (let i = 0; i < ranges.length; i++) {
    const [array, start, end] = ranges[i];
    const held = array.capabilities?.inMemory?.();
    if (held === undefined) stored.push(i);
    else if (start === 0 && end === countElements(array.shape ?? [])) values[i] = held;
    else values[i] = sliceRows(type, held, 1, [start, end]);
  }
  await mapConcurrently(stored, async (i) => {
    values[i] = await flatRange(...ranges[i], options);
  });
  return values;
}

/** Concatenates arrays of the same type. The values of each array are in stored order. */
export function concatArray(path: string, type: StoredType, parts: readonly StoredArray[]): StoredArray {
  const ends = new Float64Array(parts.length);
  let total = 0;
  for (let i = 0; i < parts.length; i++) {
    total += countElements(parts[i].shape ?? []);
    ends[i] = total;
  }
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), type, shape: [total], chunks: null },
    read: async (start, end, options) => {
      let first = 0;
      for (let high = parts.length; first < high; ) {
        const middle = (first + high) >> 1;
        if (ends[middle] > start) high = middle;
        else first = middle + 1;
      }
      const wanted: FlatRange[] = [];
      for (let i = first; i < parts.length && (ends[i - 1] ?? 0) < end; i++) {
        const begin = i === 0 ? 0 : ends[i - 1];
        if (ends[i] > begin) wanted.push([parts[i], Math.max(start, begin) - begin, Math.min(end, ends[i]) - begin]);
      }
      const values = await rangeValues(type, wanted, options);
      return values.length === 0 ? { kind: "fixed", values: allocate(type, 0) } : joinValues(values);
    },
  };
}

/**
 * Reads all values of an array in stored order, as numbers.
 * @throws {UnsupportedError} if there are more than `most` values; {InvalidDataError} if the values are not numbers.
 */
export async function readArrayNumbers(array: StoredArray, most: number): Promise<readonly number[]> {
  const { values } = await readFixedValues(array, most);
  return Array.from(values, Number);
}

/** Reads all values of an array in stored order. @throws the errors of `readArrayNumbers`. */
export async function readFixedValues(array: StoredArray, most: number) {
  const shape = array.shape ?? [];
  const count = countElements(shape);
  if (count > most)
    throw new UnsupportedError(`${count} values; at most ${most} are read here`, { element: array.path });
  const values = await array.read(0, shape[0] ?? 1);
  if (values.kind !== "fixed") throw new InvalidDataError("no numbers", { element: array.path });
  return values;
}
