/** Bitmaps in Arrow's order: value i is bit i % 8 of byte i >> 3, the least significant bit first. */

export function getBitmapByteLength(length: number): number {
  return (length + 7) >>> 3;
}

/** Packs bytes into bits. A bit is set if the byte is not 0. */
export function packBits(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(getBitmapByteLength(bytes.length));
  const whole = bytes.length & ~7;
  let i = 0;
  for (let at = 0; i < whole; i += 8, at++) {
    out[at] =
      (bytes[i] !== 0 ? 1 : 0) |
      (bytes[i + 1] !== 0 ? 2 : 0) |
      (bytes[i + 2] !== 0 ? 4 : 0) |
      (bytes[i + 3] !== 0 ? 8 : 0) |
      (bytes[i + 4] !== 0 ? 16 : 0) |
      (bytes[i + 5] !== 0 ? 32 : 0) |
      (bytes[i + 6] !== 0 ? 64 : 0) |
      (bytes[i + 7] !== 0 ? 128 : 0);
  }
  for (; i < bytes.length; i++) if (bytes[i] !== 0) out[i >> 3] |= 1 << (i & 7);
  return out;
}

/** Unpacks the first `length` bits to bytes 0 or 1. */
export function unpackBits(bitmap: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) out[i] = (bitmap[i >> 3] >> (i & 7)) & 1;
  return out;
}

export interface Validity {
  readonly bitmap: Uint8Array;
  readonly nullCount: number;
}

/** Returns the validity of a mask in which 1 means missing; null if no value is missing. */
export function convertMaskToValidity(mask: Uint8Array): Validity | null {
  let nullCount = 0;
  for (let i = 0; i < mask.length; i++) nullCount += mask[i] !== 0 ? 1 : 0;
  if (nullCount === 0) return null;
  const bitmap = packBits(mask);
  for (let i = 0; i < bitmap.length; i++) bitmap[i] = ~bitmap[i];
  const rest = mask.length & 7;
  if (rest !== 0) bitmap[bitmap.length - 1] &= (1 << rest) - 1;
  return { bitmap, nullCount };
}

/** Returns the validity of `length` values according to `isValid`; null if no value is missing. */
export function computeValidity(length: number, isValid: (i: number) => boolean): Validity | null {
  const bitmap = new Uint8Array(getBitmapByteLength(length));
  let nullCount = length;
  for (let i = 0; i < length; i++) {
    if (!isValid(i)) continue;
    bitmap[i >> 3] |= 1 << (i & 7);
    nullCount--;
  }
  return nullCount === 0 ? null : { bitmap, nullCount };
}

export function isBitSet(bitmap: Uint8Array, i: number): boolean {
  return ((bitmap[i >> 3] >> (i & 7)) & 1) === 1;
}

/** Returns the position of the first byte that is neither 0 nor 1, or -1. */
export function findNonBoolean(bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] > 1) return i;
  return -1;
}
