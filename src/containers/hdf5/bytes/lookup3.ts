/** Bob Jenkins' lookup3 (`hashlittle`, initial value 0), the checksum of all structures since HDF5 1.8. */

import { InvalidDataError } from "../../../model/errors.js";

export function lookup3(bytes: Uint8Array): number {
  let a = (0xdeadbeef + bytes.length) | 0;
  let b = a;
  let c = a;
  let at = 0;
  const word = () => {
    const value = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    at += 4;
    return value;
  };
  // The last 1 to 12 bytes are mixed in below, even if there are exactly 12.
  while (bytes.length - at > 12) {
    a = (a + word()) | 0;
    b = (b + word()) | 0;
    c = (c + word()) | 0;
    a = ((a - c) ^ rotate(c, 4)) | 0;
    c = (c + b) | 0;
    b = ((b - a) ^ rotate(a, 6)) | 0;
    a = (a + c) | 0;
    c = ((c - b) ^ rotate(b, 8)) | 0;
    b = (b + a) | 0;
    a = ((a - c) ^ rotate(c, 16)) | 0;
    c = (c + b) | 0;
    b = ((b - a) ^ rotate(a, 19)) | 0;
    a = (a + c) | 0;
    c = ((c - b) ^ rotate(b, 4)) | 0;
    b = (b + a) | 0;
  }
  if (at === bytes.length) return c >>> 0;
  // Bytes past the end count as zeros, because undefined becomes 0 in bit operations.
  a = (a + word()) | 0;
  b = (b + word()) | 0;
  c = (c + word()) | 0;
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  c = ((c ^ b) - rotate(b, 24)) | 0;
  return c >>> 0;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/**
 * Checks a structure whose last 4 bytes are the checksum of all preceding bytes.
 * @throws {InvalidDataError} if the checksum differs.
 */
export function verifyChecksum(bytes: Uint8Array, what: string): void {
  const length = bytes.length - 4;
  if (length < 0) throw new InvalidDataError(`${what} has ${bytes.length} bytes, too few for its checksum`);
  const stored = new DataView(bytes.buffer, bytes.byteOffset + length, 4).getUint32(0, true);
  const sum = lookup3(bytes.subarray(0, length));
  if (stored !== sum) throw new InvalidDataError(`${what} has checksum ${stored}, its bytes have ${sum}`);
}
