/** The interface of the codecs in `../codecs.ts`, and the limits on the size of their output. */

import { InvalidDataError } from "../../../model/errors.js";

/** A codec from bytes to bytes: a compressor, a checksum, or a filter over the values of a flat chunk. */
export interface ByteCodec {
  /** Returns the encoded size of `decoded` bytes; null if it depends on their values. */
  encodedSize(decoded: number): number | null;
  /**
   * Decodes a chunk's bytes without changing them. The bytes may come from a hostile file, so a decoder stops as soon
   * as its output would be larger than `size`.
   * @param size the expected number of decoded bytes; the caller checks an exact size.
   * @param target memory of exactly this size, which may be used to save a copy. If this method throws, `target` may be
   * partly written.
   * @throws {InvalidDataError} if the bytes were not written by this codec.
   */
  decode(bytes: Uint8Array, size: OutputSize, target?: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** For a filter over values: the size of each value that it writes in little-endian order. */
  readonly encodedWord?: number;
}

export interface CodecSettings {
  /** The client data of an HDF5 filter; empty for Zarr. */
  readonly values: readonly number[];
  /** The configuration of a Zarr codec; empty for HDF5. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Size in bytes of an array item at the codec's position in the pipeline; null if the size varies. */
  readonly itemBytes: number | null;
}

/**
 * @throws {InvalidDataError} if the settings are invalid.
 * @throws {UnsupportedError} if the settings are unsupported.
 */
export type MakeCodec = (settings: CodecSettings) => ByteCodec;

/** Makes a compressor without settings, whose output may have any size. */
export function createCodecFactory(decode: ByteCodec["decode"]): MakeCodec {
  return () => ({ encodedSize: () => null, decode });
}

/** @throws {InvalidDataError} if the value is not an integer of at least `least`. */
export function checkIntegerOption(value: unknown, what: string, least: number): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  throw createOptionError(value, what, `an integer of at least ${least}`);
}

export function createOptionError(value: unknown, what: string, expected: string): InvalidDataError {
  const found = value === undefined ? "missing" : typeof value === "bigint" ? String(value) : JSON.stringify(value);
  return new InvalidDataError(`${what} is ${found.slice(0, 80)}, expected ${expected}`);
}

/** The number of bytes that a stream must decode to: exactly `bytes`, or at most `bytes`. */
export interface OutputSize {
  readonly bytes: number;
  readonly exact: boolean;
}

/** Makes the error for a stream that decodes to `found` bytes although `size` was declared. */
export function createSizeError(found: number | string, size: OutputSize): InvalidDataError {
  return new InvalidDataError(
    `the compressed data gives ${found} bytes, expected ${size.exact ? "" : "at most "}${size.bytes}`,
  );
}

/** @throws {InvalidDataError} if `found` does not match `size`. */
export function checkSize(found: number, size: OutputSize): void {
  if (size.exact ? found !== size.bytes : found > size.bytes) throw createSizeError(found, size);
}

/** Maximum size of a decoded chunk in bytes. A chunk must fit into memory as a whole. */
export const MAX_CHUNK_BYTES = 2 ** 30;

/** Maximum compression ratio of deflate and LZF. */
const MAX_RATIO = 1032;

/**
 * Limits `size` to the maximum that these bytes of deflate or LZF can decode to, because memory of this size is
 * allocated before decoding.
 * @throws {InvalidDataError} if `size` is exact and larger than this maximum.
 */
export function limitOutputSize(packed: Uint8Array, size: OutputSize): OutputSize {
  const most = MAX_RATIO * packed.length + 64;
  if (size.bytes <= most) return size;
  if (!size.exact) return { bytes: most, exact: false };
  throw new InvalidDataError(`chunk of ${size.bytes} bytes cannot come from ${packed.length} bytes`);
}
