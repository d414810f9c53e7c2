/** Object references. */

import { InvalidDataError } from "../../../model/errors.js";

/** The address in an object reference, 8 bytes. @throws {InvalidDataError} beyond 2^53. */
export function addressNumber(bytes: Uint8Array): number {
  let value = 0;
  for (let i = bytes.length - 1; i >= 0; i--) value = value * 256 + bytes[i];
  if (value > Number.MAX_SAFE_INTEGER) throw new InvalidDataError(`object reference to address ${value}, beyond 2^53`);
  return value;
}
