import type { OutputSize } from "../../../kernels/codecs/bounds/output-size.js";
import type { ZarrChunk } from "../metadata/chunk.js";
import type { JsonObject } from "../metadata/json.js";

/** A codec that makes bytes of bytes: a compressor, a checksum, or a filter over the values of a flat chunk. */
export interface ByteCodec {
  /** Bytes that it makes of `decoded` bytes; null where that depends on them. */
  encodedSize(decoded: number): number | null;
  /**
   * @param size how many bytes must come out; the caller checks an exact one.
   * @param target of just so many bytes: where they may go, if that saves a copy. It may hold a part where this throws.
   * @throws {InvalidDataError} where the bytes are not what this codec writes.
   */
  decode(bytes: Uint8Array, size: OutputSize, target?: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** For a filter over values: bytes of each value that it writes, in little-endian order. */
  readonly encodedWord?: number;
}

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

/** A compressor: what it makes is of any size. */
export function compressor(decode: ByteCodec["decode"]): CodecModule {
  return { kind: "bytes", make: () => ({ encodedSize: () => null, decode }) };
}
