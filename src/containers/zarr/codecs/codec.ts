import type { ByteCodec } from "../../../kernels/codecs/bounds/byte-codec.js";
import type { DataType } from "../metadata/data-type.js";
import type { JsonObject } from "../metadata/json.js";

/** A codec between bytes and objects without a fixed size, such as strings. */
export interface ObjectCodec {
  /** Decodes the `count` items of a chunk. */
  decode(bytes: Uint8Array, count: number): ZarrChunk;
}

/**
 * The implementation of the codec with a certain name. The pipeline itself implements `bytes`, `transpose` and
 * `sharding_indexed`. `itemBytes` is the item size when the codec is applied; null if the size varies.
 */
export type CodecModule =
  | { readonly kind: "bytes"; make(configuration: JsonObject, itemBytes: number | null): ByteCodec }
  | { readonly kind: "objects"; make(configuration: JsonObject): ObjectCodec };

/**
 * A decoded chunk, or any other box of elements. In the form `fixed`, items are stored one after another in C order and
 * native byte order. In the other form, item i is `bytes[offsets[i] … offsets[i + 1]]`.
 */
export type ZarrChunk =
  | { readonly kind: "fixed"; readonly bytes: Uint8Array }
  | { readonly kind: "variable"; readonly offsets: Int32Array; readonly bytes: Uint8Array };

/** Converts the bytes of a chunk to its items. */
export interface ChunkCodec {
  /** The size of every encoded chunk in bytes; null if it depends on the values. */
  readonly encodedSize: number | null;
  /** @throws {InvalidDataError} if the bytes do not decode to exactly the items of one chunk. */
  decode(bytes: Uint8Array): Promise<ZarrChunk>;
  /**
   * Decodes like `decode`, but writes items of fixed size directly to their final place; `target` has exactly their
   * size. Absent if items are moved or converted after the last codec.
   */
  decodeInto?(bytes: Uint8Array, target: Uint8Array): Promise<void>;
}

/**
 * The form of the chunks that an array's codecs decode: chunks of shape `shape`, whose missing parts are filled with
 * `fill`.
 */
export interface ChunkSpec {
  readonly shape: readonly number[];
  readonly type: DataType;
  readonly fill: Uint8Array;
}
