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
