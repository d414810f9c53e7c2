import { InvalidDataError, UnsupportedError } from "../../errors.js";
import type { AttributeValue } from "../container.js";
import { MAX_CHUNK_BYTES, MAX_CHUNKS } from "../container.js";
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
  return new Map(Object.entries(object));
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
  const bytes = chunkShape.reduce((total, size) => total * size, itemSize(type.layout) ?? 4);
  if (bytes > MAX_CHUNK_BYTES) throw new InvalidDataError(`a chunk of ${bytes} bytes, at most ${MAX_CHUNK_BYTES}`);
}

/** @throws {UnsupportedError} where the document is of a version that is not known. */
export function checkFormat(document: JsonObject, format: 2 | 3): void {
  if (document.zarr_format !== format) {
    throw new UnsupportedError(`zarr_format is ${show(document.zarr_format)}, expected ${format}`);
  }
}
