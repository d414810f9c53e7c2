import type { ByteCodec } from "../../../kernels/codecs/bounds/byte-codec.js";
import type { DataType } from "../metadata/data-type.js";
import type { JsonObject } from "../metadata/json.js";

/** A codec between bytes and objects without a fixed size, such as strings. */
export interface ObjectCodec {
  /** Decodes the `count` items of a chunk. */
  decode(bytes: Uint8Array, count: number): ZarrChunk;
}

/**
 * The implementation behind a codec's name. `bytes`, `transpose` and `sharding_indexed` belong to the pipeline itself.
 * `itemBytes` is the size of the array's items where the codec is applied, null where it varies.
 */
export type CodecModule =
  | { readonly kind: "bytes"; make(configuration: JsonObject, itemBytes: number | null): ByteCodec }
  | { readonly kind: "objects"; make(configuration: JsonObject): ObjectCodec };

/**
 * A decoded chunk, or any box of elements: items one after another in C order and native byte order (`fixed`), or item
 * i as `bytes[offsets[i] … offsets[i + 1]]`.
 */
export type ZarrChunk =
  | { readonly kind: "fixed"; readonly bytes: Uint8Array }
  | { readonly kind: "variable"; readonly offsets: Int32Array; readonly bytes: Uint8Array };

/** Converts the bytes of a chunk to its items. */
export interface ChunkCodec {
  /** The size of every encoded chunk in bytes; null if it depends on the values. */
  readonly encodedSize: number | null;
  /**
   * @throws {InvalidDataError} where the bytes do not give exactly the items of a chunk.
   */
  decode(bytes: Uint8Array): Promise<ZarrChunk>;
  /**
   * Decodes like `decode`, with the items of fixed size at their final place; `target` has exactly their bytes. Absent
   * where items are moved or converted behind the last codec.
   */
  decodeInto?(bytes: Uint8Array, target: Uint8Array): Promise<void>;
}

/**
 * The chunks that the codecs of one array decode: chunks of `shape`, filled with `fill` where a part of them is
 * missing.
 */
export interface ChunkSpec {
  readonly shape: readonly number[];
  readonly type: DataType;
  readonly fill: Uint8Array;
}
