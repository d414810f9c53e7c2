import type { ByteCodec } from "../../../kernels/codecs/bounds/codec.js";
import type { ZarrChunk } from "../metadata/chunk.js";
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
