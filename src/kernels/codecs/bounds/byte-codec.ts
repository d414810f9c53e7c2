/** The codecs of the table in `../codecs.ts`, which HDF5 and Zarr share, and the sizes that their output is held to. */

import { InvalidDataError } from "../../../model/errors.js";

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

/** What a file says beside a codec's name. */
export interface CodecSettings {
  /** The client data of an HDF5 filter; empty for Zarr. */
  readonly values: readonly number[];
  /** The configuration of a Zarr codec; empty for HDF5. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Bytes of an item of the array at the codec's place; null where it varies. */
  readonly itemBytes: number | null;
}

/** @throws {InvalidDataError} where the settings are wrong. @throws {UnsupportedError} where they cannot be followed. */
export type MakeCodec = (settings: CodecSettings) => ByteCodec;

/** A compressor that needs no settings: what it makes is of any size. */
export function compressor(decode: ByteCodec["decode"]): MakeCodec {
  return () => ({ encodedSize: () => null, decode });
}

/** @throws {InvalidDataError} where the value is no integer of at least `least`. */
export function integerOption(value: unknown, what: string, least: number): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  throw unexpectedOption(value, what, `an integer of at least ${least}`);
}

export function unexpectedOption(value: unknown, what: string, expected: string): InvalidDataError {
  const found = value === undefined ? "missing" : typeof value === "bigint" ? String(value) : JSON.stringify(value);
  return new InvalidDataError(`${what} is ${found.slice(0, 80)}, expected ${expected}`);
}

/** How many bytes a stream must give: exactly `bytes`, or at most so many. */
export interface OutputSize {
  readonly bytes: number;
  readonly exact: boolean;
}

/** The error for a stream that gives `found` bytes where `size` was declared. */
export function wrongSize(found: number | string, size: OutputSize): InvalidDataError {
  return new InvalidDataError(
    `the compressed data gives ${found} bytes, expected ${size.exact ? "" : "at most "}${size.bytes}`,
  );
}

/** @throws {InvalidDataError} where `found` is not the number of bytes that `size` asks for. */
export function checkSize(found: number, size: OutputSize): void {
  if (size.exact ? found !== size.bytes : found > size.bytes) throw wrongSize(found, size);
}

/** The largest chunk that is decoded; it must lie in memory as a whole. */
export const MAX_CHUNK_BYTES = 2 ** 30;

/** Neither deflate nor LZF can shrink more than that. */
const MAX_RATIO = 1032;

/**
 * `size`, as far as so few bytes of deflate or LZF can give it: memory of that size is allocated before they are decoded.
 * @throws {InvalidDataError} where they cannot give what must come out.
 */
export function boundByRatio(packed: Uint8Array, size: OutputSize): OutputSize {
  const most = MAX_RATIO * packed.length + 64;
  if (size.bytes <= most) return size;
  if (!size.exact) return { bytes: most, exact: false };
  throw new InvalidDataError(`chunk of ${size.bytes} bytes cannot come from ${packed.length} bytes`);
}
