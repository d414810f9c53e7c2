import { MAX_CHUNK_BYTES } from "../../../kernels/codecs/bounds/byte-codec.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import { type AttributeValue, MAX_CHUNKS } from "../../tree/container.js";
import { checkDimensions, type DataType, getItemSize } from "./data-type.js";
import type { ZarrFormat } from "./fill-value.js";
import type { JsonObject } from "./json.js";
import { show } from "./json-fields.js";

/** A codec as specified in a document, with its `name` verbatim. */
export interface CodecSpec {
  readonly name: string;
  readonly configuration: JsonObject;
}

/** The encoding of a chunk's position as a key: `c/0/1` (default) or `0.1` (v2). */
export interface KeyEncoding {
  readonly name: "default" | "v2";
  readonly separator: "/" | ".";
}

/** The metadata of an array, in a common form for v2 and v3 documents. */
export interface ArrayMetadata {
  readonly version: ZarrFormat;
  readonly shape: readonly number[];
  readonly chunkShape: readonly number[];
  readonly type: DataType;
  /** The fill value: one item in native byte order, or for items of variable size the bytes of one item. */
  readonly fill: Uint8Array;
  /**
   * The codecs in encoding order, as in v3. `bytes` with the `endian` "type" stands for v2, in which the type contains
   * the byte order.
   */
  readonly codecs: readonly CodecSpec[];
  readonly keys: KeyEncoding;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /** The fill value of a v2 array of numbers, if the document specifies it. */
  readonly fillValue?: number | bigint;
  /** The names of the dimensions (v3), one for each dimension; absent if the document has no names. */
  readonly dimensionNames?: readonly (string | null)[];
}

export interface GroupMetadata {
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

export function parseZarrAttributes(object: JsonObject): ReadonlyMap<string, AttributeValue> {
  // Building a list of pairs would take more memory than the attributes themselves.
  const attributes = new Map<string, AttributeValue>();
  for (const key of Object.keys(object)) attributes.set(key, object[key]);
  return attributes;
}

/**
 * Returns the path of the node `name` in the group at `path`; `""` is the root. Document keys have the same form:
 * `obs/.zarray`.
 */
export function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

/** Returns the key of the chunk at `position` below the array's path. */
export function getChunkKey(keys: KeyEncoding, position: readonly number[]): string {
  const parts = position.map(String);
  if (keys.name === "default") return ["c", ...parts].join(keys.separator);
  return parts.length === 0 ? "0" : parts.join(keys.separator);
}

/**
 * @throws {InvalidDataError} if shape and chunks do not fit together, are too many or too large, {UnsupportedError} for
 * more dimensions than numpy supports.
 */
export function checkGrid(shape: readonly number[], chunkShape: readonly number[]): void {
  checkDimensions(shape);
  if (shape.length !== chunkShape.length) {
    throw new InvalidDataError(`the shape has ${shape.length} dimensions, the chunks have ${chunkShape.length}`);
  }
  const count = shape.reduce((total, size, axis) => total * Math.ceil(size / chunkShape[axis]), 1);
  if (count > MAX_CHUNKS) throw new InvalidDataError(`${count} chunks, at most ${MAX_CHUNKS}`);
}

/**
 * Checks the size of a decoded chunk with this shape. An item of variable size counts as four bytes, the least that it
 * can take.
 * @throws {InvalidDataError} if the chunk is too large to be decoded in memory.
 */
export function checkChunkBytes(chunkShape: readonly number[], type: DataType): void {
  const bytes = countChunkBytes(chunkShape, type) ?? countElements(chunkShape) * 4;
  if (bytes > MAX_CHUNK_BYTES) throw new InvalidDataError(`a chunk of ${bytes} bytes, at most ${MAX_CHUNK_BYTES}`);
}

/** Returns the size in bytes of a decoded chunk with this shape; null if items vary in size. */
export function countChunkBytes(chunkShape: readonly number[], type: DataType): number | null {
  const size = getItemSize(type.layout);
  return size === null ? null : countElements(chunkShape) * size;
}

/** Returns the maximum size of an encoded chunk, which exceeds what any compressor needs for incompressible data. */
export function getEncodedLimit(decoded: number | null): number {
  return decoded === null ? MAX_CHUNK_BYTES : 2 * decoded + 65_536;
}

/** Maximum size in bytes of a chunk that the array fills to less than a quarter. */
const MAX_UNUSED_BYTES = 128 * 2 ** 20;

/**
 * Checks that an array fills enough of its chunks. A chunk is always decoded as a whole, so a few bytes could expand to
 * gigabytes that contain none of the array's values.
 * @throws {InvalidDataError} if chunks are very large and the array fills only a small part of one.
 */
export function checkChunkUse(shape: readonly number[], chunkShape: readonly number[], type: DataType): void {
  const size = getItemSize(type.layout) ?? 4;
  const chunk = countElements(chunkShape) * size;
  const array = countElements(shape) * size;
  if (chunk > MAX_UNUSED_BYTES && array > 0 && array < chunk / 4) {
    throw new InvalidDataError(
      `chunks [${chunkShape}] of ${chunk} bytes for an array of ${array}, at most ${MAX_UNUSED_BYTES}; write it with smaller ones`,
    );
  }
}

/** @throws {UnsupportedError} if the document's version is not supported. */
export function checkFormat(document: JsonObject, format: 2 | 3): void {
  if (document.zarr_format !== format) {
    throw new UnsupportedError(`zarr_format is ${show(document.zarr_format)}, expected ${format}`);
  }
}
