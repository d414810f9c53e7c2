import { InvalidDataError } from "../../../model/errors.js";

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
