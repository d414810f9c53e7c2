/** A codec of bytes, as the table in `../codecs.ts` has it and HDF5 and Zarr use it. */

import { InvalidDataError } from "../../../model/errors.js";
import type { OutputSize } from "./output-size.js";

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
