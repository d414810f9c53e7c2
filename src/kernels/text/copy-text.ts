/**
 * Copies short sequences of bytes, because most text consists of such sequences. Loops over words are faster than
 * `set`, because a call of `set` costs more.
 */

/** Minimum length for which `set` is faster. */
const LONG = 256;

export function copyBytes(from: DataView, at: number, length: number, to: DataView, out: number): void {
  if (length > LONG) {
    bytesAt(to, out, length).set(bytesAt(from, at, length));
    return;
  }
  let k = 0;
  for (; k + 4 <= length; k += 4) to.setInt32(out + k, from.getInt32(at + k, true), true);
  for (; k < length; k++) to.setUint8(out + k, from.getUint8(at + k));
}

/**
 * Copies `length` bytes, or only the bytes before the first NUL.
 * @returns the number of bytes copied.
 */
export function copyText(from: DataView, at: number, length: number, to: DataView, out: number): number {
  let k = 0;
  for (; k + 4 <= length; k += 4) {
    const word = from.getInt32(at + k, true);
    // This test is true exactly for words that contain a NUL.
    if (((word - 0x01010101) & ~word & 0x80808080) !== 0) break;
    to.setInt32(out + k, word, true);
  }
  for (; k < length; k++) {
    const byte = from.getUint8(at + k);
    if (byte === 0) break;
    to.setUint8(out + k, byte);
  }
  return k;
}

function bytesAt({ buffer, byteOffset }: DataView, at: number, length: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + at, length);
}
