import { MAX_CHUNK_BYTES } from "../../../kernels/codecs/bounds/byte-codec.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { product } from "../../../model/stored.js";
import { type AttributeValue, MAX_CHUNKS } from "../../tree/container.js";
import { type DataType, itemSize } from "./data-type.js";
import type { JsonObject } from "./json.js";
import { show } from "./json-fields.js";

/** A codec as a document names it; `name` verbatim. */
export interface CodecSpec {
  readonly name: string;
  readonly configuration: JsonObject;
}

/** How a chunk's position becomes a key: `c/0/1` (default) or `0.1` (v2). */
export interface KeyEncoding {
  readonly name: "default" | "v2";
  readonly separator: "/" | ".";
}

/** The metadata of one array: the form that v2 and v3 documents both become at the door. */
export interface ArrayMetadata {
  readonly shape: readonly number[];
  readonly chunkShape: readonly number[];
  readonly type: DataType;
  /** One item in native byte order; for variable items the item itself. */
  readonly fill: Uint8Array;
  /** In order of encoding, as in v3; `bytes` with the `endian` "type" is v2's, where the type tells. */
  readonly codecs: readonly CodecSpec[];
  readonly keys: KeyEncoding;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

/** A group's attributes. */
export interface GroupMetadata {
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

export function attributesOf(object: JsonObject): ReadonlyMap<string, AttributeValue> {
  // Entries as pairs would take more memory than the attributes.
  const attributes = new Map<string, AttributeValue>();
  for (const key of Object.keys(object)) attributes.set(key, object[key]);
  return attributes;
}

/** The path of the node `name` in the group at `path`; `""` is the root. Documents have such keys too: `obs/.zarray`. */
export function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

/** The key of the chunk at `position` below the array's path. */
export function chunkKey(keys: KeyEncoding, position: readonly number[]): string {
  const parts = position.map(String);
  if (keys.name === "default") return ["c", ...parts].join(keys.separator);
  return parts.length === 0 ? "0" : parts.join(keys.separator);
}

/** @throws {InvalidDataError} where shape and chunks do not fit together or are too many or too large. */
export function checkGrid(shape: readonly number[], chunkShape: readonly number[]): void {
  if (shape.length !== chunkShape.length) {
    throw new InvalidDataError(`the shape has ${shape.length} dimensions, the chunks have ${chunkShape.length}`);
  }
  const count = shape.reduce((total, size, axis) => total * Math.ceil(size / chunkShape[axis]), 1);
  if (count > MAX_CHUNKS) throw new InvalidDataError(`${count} chunks, at most ${MAX_CHUNKS}`);
}

/**
 * Bytes of a decoded chunk of this shape. Variable items count as the four bytes that each takes at least.
 * @throws {InvalidDataError} where it is too large to be decoded in memory.
 */
export function checkChunkBytes(chunkShape: readonly number[], type: DataType): void {
  const bytes = chunkBytes(chunkShape, type) ?? product(chunkShape) * 4;
  if (bytes > MAX_CHUNK_BYTES) throw new InvalidDataError(`a chunk of ${bytes} bytes, at most ${MAX_CHUNK_BYTES}`);
}

/** Bytes of a decoded chunk of this shape; null where items vary in size. */
export function chunkBytes(chunkShape: readonly number[], type: DataType): number | null {
  const size = itemSize(type.layout);
  return size === null ? null : product(chunkShape) * size;
}

/** Bytes of an encoded chunk at most: longer than any compressor makes what it cannot compress. */
export function mostEncoded(decoded: number | null): number {
  return decoded === null ? MAX_CHUNK_BYTES : 2 * decoded + 65_536;
}

/** What chunks may take for an array that needs but a part of one. */
const MAX_UNUSED_BYTES = 128 * 2 ** 20;

/**
 * A chunk is decoded whole for whatever is in it: a few bytes can stand for gigabytes that no value of the array is in.
 * @throws {InvalidDataError} where chunks are very large and the array is a small part of one.
 */
export function checkChunkUse(shape: readonly number[], chunkShape: readonly number[], type: DataType): void {
  const size = itemSize(type.layout) ?? 4;
  const chunk = product(chunkShape) * size;
  const array = product(shape) * size;
  if (chunk > MAX_UNUSED_BYTES && array > 0 && array < chunk / 4) {
    throw new InvalidDataError(
      `chunks [${chunkShape}] of ${chunk} bytes for an array of ${array}, at most ${MAX_UNUSED_BYTES}; write it with smaller ones`,
    );
  }
}

/** @throws {UnsupportedError} where the document is of a version that is not known. */
export function checkFormat(document: JsonObject, format: 2 | 3): void {
  if (document.zarr_format !== format) {
    throw new UnsupportedError(`zarr_format is ${show(document.zarr_format)}, expected ${format}`);
  }
}
