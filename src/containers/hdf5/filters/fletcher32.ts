import { fletcher32 } from "../../../kernels/checksums/fletcher32.js";
import { InvalidDataError } from "../../../model/errors.js";

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
