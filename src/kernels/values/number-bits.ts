/** Numbers by their bits. */

/** Returns the number for the 16 bits of an IEEE 754 half. */
export function float16ToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Tells whether all bytes are 0. Then all values are zeros, and none of them is -0.0. */
export function isZero(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  let at = 0;
  if (byteOffset % 4 === 0) {
    const words = new Int32Array(buffer, byteOffset, length >> 2);
    for (let i = 0; i < words.length; i++) if (words[i] !== 0) return false;
    at = words.length * 4;
  }
  for (; at < length; at++) if (bytes[at] !== 0) return false;
  return true;
}
