/**
 * Region references: an object, and a selection of its elements, in a heap. Source: HDF5 File Format Specification,
 * "Reference Encoding: dataset region", and the selections of VIII.A.
 */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { RecordValues } from "../../../model/stored.js";
import { Cursor } from "../bytes/cursor.js";
import type { Heap } from "../heaps/heap.js";

const ADDRESS_BYTES = 8;
const MAX_RANK = 32;

/** The most boxes of the selections of one read, which a regular pattern of a few bytes can declare. */
const MOST_BOXES = 2 ** 18;

/**
 * Decodes region references to their object, and their selection: a list for each point (its coordinates), or for each
 * box (the coordinates of its first element, then of its last). A selection of all elements is one empty list.
 */
export function regions(elements: Uint8Array, size: number, count: number, heap: Heap): RecordValues {
  const objects = new BigUint64Array(count);
  const boxes = new Int32Array(count + 1);
  const lists: (readonly number[])[] = [];
  for (let i = 0; i < count; i++) {
    const bytes = heap.region(elements.subarray(i * size, (i + 1) * size));
    if (bytes !== null) {
      const cursor = new Cursor(bytes, "region reference");
      objects[i] = BigInt(cursor.uint(ADDRESS_BYTES));
      for (const list of selection(cursor)) lists.push(list);
      if (lists.length > MOST_BOXES) {
        throw new UnsupportedError(`selections of more than ${MOST_BOXES} boxes; read fewer rows`);
      }
    }
    boxes[i + 1] = lists.length;
  }
  const offsets = new Int32Array(lists.length + 1);
  for (const [i, list] of lists.entries()) offsets[i + 1] = offsets[i] + list.length;
  const numbers = BigInt64Array.from(lists.flat(), (number) => BigInt(number));
  const places = { kind: "sequence", offsets, values: { kind: "fixed", values: numbers } } as const;
  return {
    kind: "record",
    length: count,
    fields: [
      { kind: "fixed", values: objects },
      { kind: "sequence", offsets: boxes, values: places },
    ],
  };
}

function selection(cursor: Cursor): (readonly number[])[] {
  const kind = cursor.u32();
  const version = cursor.u32();
  switch (kind) {
    case 0:
      return [];
    case 1:
      return points(cursor, version);
    case 2:
      return version === 1 ? blocks(cursor, skipped(cursor), 4) : hyperslab(cursor, version);
    case 3:
      return [[]];
    default:
      throw new InvalidDataError(`selection of the kind ${kind}; 0 to 3 exist`);
  }
}

/** Skips two numbers of 32 bits, one unused and a length, and reads the number of dimensions. */
function skipped(cursor: Cursor): number {
  cursor.skip(8);
  return rankOf(cursor);
}

function rankOf(cursor: Cursor): number {
  const rank = cursor.u32();
  if (rank < 1 || rank > MAX_RANK)
    throw new InvalidDataError(`selection of ${rank} dimensions; 1 to ${MAX_RANK} exist`);
  return rank;
}

function points(cursor: Cursor, version: number): (readonly number[])[] {
  if (version < 1 || version > 2) throw new InvalidDataError(`points of version ${version}; 1 and 2 exist`);
  const width = version === 1 ? 4 : widthOf(cursor);
  const rank = version === 1 ? skipped(cursor) : rankOf(cursor);
  const count = counted(cursor, width, rank);
  return Array.from({ length: count }, () => numbers(cursor, rank, width));
}

function blocks(cursor: Cursor, rank: number, width: 2 | 4 | 8): (readonly number[])[] {
  const count = counted(cursor, width, 2 * rank);
  return Array.from({ length: count }, () => numbers(cursor, 2 * rank, width));
}

/** A hyperslab of version 2 or 3: a regular one by its pattern, another one by its blocks. */
function hyperslab(cursor: Cursor, version: number): (readonly number[])[] {
  if (version > 3) throw new InvalidDataError(`hyperslab of version ${version}; 1 to 3 exist`);
  const isRegular = (cursor.u8() & 1) !== 0;
  const width = version === 3 ? widthOf(cursor) : 8;
  if (version === 2) cursor.skip(4);
  const rank = rankOf(cursor);
  if (!isRegular) return blocks(cursor, rank, width);
  const pattern = Array.from({ length: rank }, () => numbers(cursor, 4, width));
  let starts: number[][] = [[]];
  for (const [start, stride, count] of pattern) {
    if (!(starts.length * count <= MOST_BOXES)) {
      throw new UnsupportedError(`a selection of more than ${MOST_BOXES} boxes`);
    }
    starts = starts.flatMap((before) => Array.from({ length: count }, (_, i) => [...before, start + i * stride]));
  }
  return starts.map((first) => [...first, ...first.map((at, d) => at + pattern[d][3] - 1)]);
}

function widthOf(cursor: Cursor): 2 | 4 | 8 {
  const width = cursor.u8();
  if (width === 2 || width === 4 || width === 8) return width;
  throw new InvalidDataError(`numbers of ${width} bytes in a selection`);
}

/** A count of lists of `each` numbers, which must follow. */
function counted(cursor: Cursor, width: 2 | 4 | 8, each: number): number {
  const count = cursor.uint(width);
  if (count * each * width <= cursor.remaining) return count;
  throw new InvalidDataError(`selection of ${count} lists in ${cursor.remaining} bytes`);
}

function numbers(cursor: Cursor, count: number, width: 2 | 4 | 8): number[] {
  return Array.from({ length: count }, () => cursor.uint(width));
}
