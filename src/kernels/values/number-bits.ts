/** Converts numbers from and to their bits. */

/** Converts the 16 bits of an IEEE 754 half to a number. */
export function decodeFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Returns the bits of the float16 nearest to `value`, ties to even. */
export function encodeFloat16(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  // 65520 is half-way between the largest float16 and the next power of two.
  if (size >= 65520) return sign | 0x7c00;
  // Below 2^-14 adjacent values are 2^-24 apart. Rounding up to 1024 steps gives the bits of the smallest normal
  // number.
  if (size < 2 ** -14) return sign | toEven(size * 2 ** 24);
  let exponent = Math.floor(Math.log2(size));
  if (size >= 2 ** (exponent + 1)) exponent++;
  else if (size < 2 ** exponent) exponent--;
  // A significand that rounds up to 2048 correctly carries into the exponent.
  return sign + ((exponent + 14) << 10) + toEven(size * 2 ** (10 - exponent));
}

function toEven(value: number): number {
  const low = Math.floor(value);
  const rest = value - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
}

/** Returns whether all bytes are 0. If so, all values are zero and none is -0.0. */
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
