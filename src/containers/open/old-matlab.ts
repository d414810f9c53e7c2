/**
 * Error texts for MATLAB files older than version 7.3, which are not HDF5 files. Source: levels 4 and 5 of the
 * "MAT-File Format".
 */

import type { ByteSource, ReadOptions } from "../../io/sources/source.js";

const HEADER_BYTES = 128;
const SAVE_AGAIN = 'save it again in MATLAB with save(…, "-v7.3"), in Octave with save -hdf5';

/** Returns the error text for an old MATLAB file, or null for any other file. */
export async function detectOldMatlab(source: ByteSource, options: ReadOptions): Promise<string | null> {
  const bytes = await source.read(0, Math.min(HEADER_BYTES, source.size), options);
  switch (levelOf(bytes)) {
    case 4:
      return `a MATLAB file of version 4, which is no HDF5: ${SAVE_AGAIN}`;
    case 5:
      return `a MATLAB file of version 5 to 7, which is no HDF5: ${SAVE_AGAIN}`;
    case 7.3:
      return "begins as a MATLAB file of version 7.3, but no HDF5 follows at byte 512: it is cut off or damaged";
    default:
      return null;
  }
}

function levelOf(bytes: Uint8Array): 4 | 5 | 7.3 | null {
  if (bytes.length < HEADER_BYTES) return isLevel4(bytes) ? 4 : null;
  const [a, b, c, d] = bytes.subarray(124);
  const little = c === 0x49 && d === 0x4d;
  if (!little && !(c === 0x4d && d === 0x49)) return isLevel4(bytes) ? 4 : null;
  const version = little ? a + 256 * b : 256 * a + b;
  return version === 0x100 ? 5 : version === 0x200 ? 7.3 : null;
}

/**
 * True if a file has version 4. Such a file has no signature. It begins with five integers and a name; the first
 * integer specifies how numbers are stored.
 */
function isLevel4(bytes: Uint8Array): boolean {
  if (bytes.length < 22) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return [true, false].some((little) => {
    const [type, rows, columns, imaginary, nameLength] = [0, 4, 8, 12, 16].map((at) => view.getInt32(at, little));
    const [machine, zero, precision, kind] = [1000, 100, 10, 1].map((unit) => Math.floor(type / unit) % 10);
    // The machine number is 0 for little-endian and 1 for big-endian.
    if (type < 0 || type > 4999 || (machine < 2 && (machine === 0) !== little)) return false;
    if (zero !== 0 || precision > 5 || kind > 2 || rows < 0 || columns < 0 || (imaginary !== 0 && imaginary !== 1)) {
      return false;
    }
    if (nameLength < 2 || nameLength > 64) return false;
    const name = new TextDecoder("latin1").decode(bytes.subarray(20, 20 + nameLength));
    return name.length === nameLength && /^[A-Za-z]\w*\0$/.test(name);
  });
}
