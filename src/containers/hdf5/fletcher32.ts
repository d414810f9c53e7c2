import { InvalidDataError } from "../../errors.js";

/** Bytes that the checksum adds. */
export const FLETCHER32_BYTES = 4;

/**
 * The bytes in front of their checksum.
 * @throws {InvalidDataError} where it is not theirs.
 */
export function checkFletcher32(bytes: Uint8Array): Uint8Array {
  if (bytes.length < FLETCHER32_BYTES) {
    throw new InvalidDataError(`chunk of ${bytes.length} bytes has no room for its checksum`);
  }
  const data = bytes.subarray(0, bytes.length - FLETCHER32_BYTES);
  const stored = new DataView(bytes.buffer, bytes.byteOffset + data.length, FLETCHER32_BYTES).getUint32(0, true);
  const sum = fletcher32(data);
  // HDF5 before 1.6.3 stored both halves with their bytes swapped.
  const swapped = (((sum & 0xff00ff) << 8) | ((sum >>> 8) & 0xff00ff)) >>> 0;
  if (stored !== sum && stored !== swapped) {
    throw new InvalidDataError(`chunk has fletcher32 checksum ${stored}, its bytes have ${sum}`);
  }
  return data;
}

/** Over big-endian words of 16 bits; an odd last byte is the high half of its word. */
export function fletcher32(data: Uint8Array): number {
  let low = 0;
  let high = 0;
  const even = data.length - (data.length % 2);
  for (let start = 0; start < even; ) {
    // The most additions that stay below 2^32.
    const end = Math.min(start + 720, even);
    for (; start < end; start += 2) {
      low += (data[start] << 8) | data[start + 1];
      high += low;
    }
    low = (low & 0xffff) + (low >>> 16);
    high = (high & 0xffff) + (high >>> 16);
  }
  if (even < data.length) {
    low += data[even] << 8;
    high += low;
    low = (low & 0xffff) + (low >>> 16);
    high = (high & 0xffff) + (high >>> 16);
  }
  low = (low & 0xffff) + (low >>> 16);
  high = (high & 0xffff) + (high >>> 16);
  return high * 65536 + low;
}
