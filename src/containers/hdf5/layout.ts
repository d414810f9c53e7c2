/** Where the values of a dataset lie. Source: HDF5 File Format Specification, IV.A.2.i. */

import { InvalidDataError } from "../../errors.js";
import { Cursor, type FieldSizes } from "./cursor.js";

export type Layout =
  | { readonly kind: "compact"; readonly bytes: Uint8Array }
  | { readonly kind: "contiguous"; readonly address: number | null }
  | ChunkedLayout
  | { readonly kind: "virtual" };

/** `tree` is the address of the version 1 B-tree (null: no chunk yet); "newer" for the indexes of HDF5 1.10 and later. */
export interface ChunkedLayout {
  readonly kind: "chunked";
  readonly chunk: readonly number[];
  readonly elementSize: number;
  readonly tree: number | null | "newer";
}

/** @throws {InvalidDataError} where the message is cut off, unknown, or its chunk shape is none for `rank` dimensions. */
export function parseLayout(body: Uint8Array, rank: number, sizes: FieldSizes): Layout {
  const cursor = new Cursor(body, "layout");
  const version = cursor.u8();
  if (version === 1 || version === 2) return parseOld(cursor, rank, sizes);
  if (version < 3 || version > 5) throw new InvalidDataError(`layout has version ${version}; 1 to 5 exist`);
  const kind = cursor.u8();
  switch (kind) {
    case 0:
      return { kind: "compact", bytes: cursor.take(cursor.u16()) };
    case 1:
      return { kind: "contiguous", address: cursor.optional(sizes.offsets) };
    case 2:
      return version === 3 ? parseTree(cursor, rank, sizes) : parseNewer(cursor, rank);
    case 3:
      return { kind: "virtual" };
    default:
      throw new InvalidDataError(`layout class ${kind}; 0 to 3 exist`);
  }
}

function parseOld(cursor: Cursor, rank: number, sizes: FieldSizes): Layout {
  const dimensions = cursor.u8();
  const kind = cursor.u8();
  cursor.skip(5);
  const address = kind === 0 ? null : cursor.optional(sizes.offsets);
  const values = readDimensions(cursor, dimensions, 4);
  switch (kind) {
    case 0:
      return { kind: "compact", bytes: cursor.take(cursor.u32()) };
    case 1:
      return { kind: "contiguous", address };
    case 2:
      return chunked(values, rank, address);
    default:
      throw new InvalidDataError(`layout class ${kind}; 0 to 2 exist`);
  }
}

function parseTree(cursor: Cursor, rank: number, sizes: FieldSizes): ChunkedLayout {
  const dimensions = cursor.u8();
  const address = cursor.optional(sizes.offsets);
  return chunked(readDimensions(cursor, dimensions, 4), rank, address);
}

function parseNewer(cursor: Cursor, rank: number): ChunkedLayout {
  cursor.skip(1);
  const dimensions = cursor.u8();
  const width = cursor.u8();
  if (width < 1 || width > 8) throw new InvalidDataError(`chunk sizes of ${width} bytes; 1 to 8 are legal`);
  return chunked(readDimensions(cursor, dimensions, width), rank, "newer");
}

function readDimensions(cursor: Cursor, count: number, width: number): number[] {
  const values: number[] = [];
  for (let i = 0; i < count; i++) values.push(cursor.uint(width));
  return values;
}

/** The last stored dimension is the element's size. */
function chunked(stored: readonly number[], rank: number, tree: number | null | "newer"): ChunkedLayout {
  if (rank === 0 || stored.length !== rank + 1) {
    throw new InvalidDataError(`chunk shape has ${stored.length - 1} dimensions, the dataset ${rank}`);
  }
  if (stored.some((size) => size === 0)) throw new InvalidDataError(`chunk shape ${stored.join(" x ")} holds nothing`);
  return { kind: "chunked", chunk: stored.slice(0, -1), elementSize: stored[rank], tree };
}
