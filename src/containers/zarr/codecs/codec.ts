import type { ByteCodec } from "../../../kernels/codecs/bounds/byte-codec.js";
import type { DataType } from "../metadata/data-type.js";
import type { JsonObject } from "../metadata/json.js";

/** A codec that makes bytes of objects without a fixed size, such as texts. */
export interface ObjectCodec {
  /** The `count` items of a chunk. */
  decode(bytes: Uint8Array, count: number): ZarrChunk;
}

/**
 * What stands behind a codec's name. `bytes`, `transpose` and `sharding_indexed` are the pipeline's own. `itemBytes` is
 * the size of the array's items at its place, null where it varies.
 */
export type CodecModule =
  | { readonly kind: "bytes"; make(configuration: JsonObject, itemBytes: number | null): ByteCodec }
  | { readonly kind: "objects"; make(configuration: JsonObject): ObjectCodec };

/**
 * A decoded chunk, or any box of elements: items one after another in C order and native byte order (`fixed`), or
 * item i as `bytes[offsets[i] … offsets[i + 1]]`.
 */
export type ZarrChunk =
  | { readonly kind: "fixed"; readonly bytes: Uint8Array }
  | { readonly kind: "variable"; readonly offsets: Int32Array; readonly bytes: Uint8Array };

/** How the bytes of one chunk become its items. */
export interface ChunkCodec {
  /** Bytes of every encoded chunk; null where they depend on the values. */
  readonly encodedSize: number | null;
  /**
   * @throws {InvalidDataError} where the bytes do not give exactly the items of a chunk.
   */
  decode(bytes: Uint8Array): Promise<ZarrChunk>;
  /**
   * As `decode`, with the items of a fixed size at their place; `target` has just their bytes. Absent where items are
   * moved or converted behind the last codec.
   */
  decodeInto?(bytes: Uint8Array, target: Uint8Array): Promise<void>;
}

/** What the codecs of one array decode: chunks of `shape`, filled with `fill` where a part of them is missing. */
export interface ChunkSpec {
  readonly shape: readonly number[];
  readonly type: DataType;
  readonly fill: Uint8Array;
}
