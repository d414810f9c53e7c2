/**
 * The layout of a dataset, which specifies the location of its values. Source: HDF5 File Format Specification,
 * IV.A.2.i.
 */

import { InvalidDataError } from "../../../model/errors.js";
import { Cursor, type FieldSizes } from "../bytes/cursor.js";

/** A layout in serializable form, which can be sent to workers. */
export type DataLayout =
  | { readonly kind: "compact"; readonly bytes: Uint8Array }
  | { readonly kind: "contiguous"; readonly address: number | null }
  | ChunkedLayout
  /**
   * `storedBytes`: the number of bytes stored by the virtual dataset's sources; 0 until the sources have been examined.
   */
  | { readonly kind: "virtual"; readonly storedBytes: number };

export interface ChunkedLayout {
  readonly kind: "chunked";
  readonly chunk: readonly number[];
  readonly elementSize: number;
  readonly index: IndexLayout;
  /** True if chunks that extend beyond the dataset are stored without filters. */
  readonly plainEdges: boolean;
}

/** The structure that finds the chunks, and its address; "none" if no chunk was ever written. */
export type IndexLayout =
  | { readonly kind: "none" }
  | {
      readonly kind: "tree" | "version-2-tree" | "implicit" | "fixed-array" | "extensible-array";
      readonly address: number;
    }
  /** `storedBytes` is null if the chunk has no filters. */
  | {
      readonly kind: "single";
      readonly address: number;
      readonly storedBytes: number | null;
      readonly filterMask: number;
    };

const PLAIN_EDGES = 0x01;
const FILTERED_SINGLE = 0x02;

/**
 * @throws {InvalidDataError} if the message is truncated or unknown, or its chunk shape does not have `rank`
 * dimensions.
 */
export function parseLayout(body: Uint8Array, rank: number, sizes: FieldSizes): DataLayout {
  const cursor = new Cursor(body, "layout");
  const version = cursor.u8();
  if (version === 1 || version === 2) return parseOld(cursor, rank, sizes);
  if (version < 3 || version > 5) throw new InvalidDataError(`layout has version ${version}; 1 to 5 exist`);
  const kind = cursor.u8();
  switch (kind) {
    case 0:
      return { kind: "compact", bytes: cursor.take(cursor.u16()).slice() };
    case 1:
      return { kind: "contiguous", address: cursor.optional(sizes.offsets) };
    case 2:
      return version === 3 ? parseTree(cursor, rank, sizes) : parseNewer(cursor, rank, sizes);
    case 3:
      return { kind: "virtual", storedBytes: 0 };
    default:
      throw new InvalidDataError(`layout class ${kind}; 0 to 3 exist`);
  }
}

function parseOld(cursor: Cursor, rank: number, sizes: FieldSizes): DataLayout {
  const dimensions = cursor.u8();
  const kind = cursor.u8();
  cursor.skip(5);
  const address = kind === 0 ? null : cursor.optional(sizes.offsets);
  const values = readDimensions(cursor, dimensions, 4);
  switch (kind) {
    case 0:
      return { kind: "compact", bytes: cursor.take(cursor.u32()).slice() };
    case 1:
      return { kind: "contiguous", address };
    case 2:
      return chunked(values, rank, indexAt("tree", address));
    default:
      throw new InvalidDataError(`layout class ${kind}; 0 to 2 exist`);
  }
}

function parseTree(cursor: Cursor, rank: number, sizes: FieldSizes): ChunkedLayout {
  const dimensions = cursor.u8();
  const address = cursor.optional(sizes.offsets);
  return chunked(readDimensions(cursor, dimensions, 4), rank, indexAt("tree", address));
}

function parseNewer(cursor: Cursor, rank: number, sizes: FieldSizes): ChunkedLayout {
  const flags = cursor.u8();
  const dimensions = cursor.u8();
  const width = cursor.u8();
  if (width < 1 || width > 8) throw new InvalidDataError(`chunk sizes of ${width} bytes; 1 to 8 are legal`);
  const values = readDimensions(cursor, dimensions, width);
  return chunked(values, rank, parseIndex(cursor, flags, sizes), (flags & PLAIN_EDGES) !== 0);
}

/**
 * Parses the description of an index. The parameters between the type and the address are meant for writers; readers
 * find theirs in the structure's own header.
 */
function parseIndex(cursor: Cursor, flags: number, sizes: FieldSizes): IndexLayout {
  const type = cursor.u8();
  switch (type) {
    case 1: {
      const filtered = (flags & FILTERED_SINGLE) !== 0;
      const storedBytes = filtered ? cursor.uint(sizes.lengths) : null;
      const filterMask = filtered ? cursor.u32() : 0;
      const address = cursor.optional(sizes.offsets);
      return address === null ? { kind: "none" } : { kind: "single", address, storedBytes, filterMask };
    }
    case 2:
      return indexAt("implicit", cursor.optional(sizes.offsets));
    case 3:
      cursor.skip(1);
      return indexAt("fixed-array", cursor.optional(sizes.offsets));
    case 4:
      cursor.skip(5);
      return indexAt("extensible-array", cursor.optional(sizes.offsets));
    case 5:
      cursor.skip(6);
      return indexAt("version-2-tree", cursor.optional(sizes.offsets));
    default:
      throw new InvalidDataError(`chunk index of type ${type}; 1 to 5 exist`);
  }
}

function indexAt(kind: Exclude<IndexLayout["kind"], "none" | "single">, address: number | null): IndexLayout {
  return address === null ? { kind: "none" } : { kind, address };
}

function readDimensions(cursor: Cursor, count: number, width: number): number[] {
  const values: number[] = [];
  for (let i = 0; i < count; i++) values.push(cursor.uint(width));
  return values;
}

/** Creates a chunked layout. The last stored dimension is the element size. */
function chunked(stored: readonly number[], rank: number, index: IndexLayout, plainEdges = false): ChunkedLayout {
  if (rank === 0 || stored.length !== rank + 1) {
    throw new InvalidDataError(`chunk shape has ${stored.length - 1} dimensions, the dataset ${rank}`);
  }
  if (stored.some((size) => size === 0)) throw new InvalidDataError(`chunk shape ${stored.join(" x ")} holds nothing`);
  return { kind: "chunked", chunk: stored.slice(0, -1), elementSize: stored[rank], index, plainEdges };
}
