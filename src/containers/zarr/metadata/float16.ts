/** The bits of the float16 nearest to `value`, ties to even. */
export function float16Bits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  // 65520 is half-way between the largest float16 and the next power of two.
  if (size >= 65520) return sign | 0x7c00;
  // Below 2^-14 the steps are 2^-24; rounding up to 1024 of them gives the smallest normal number's bits.
  if (size < 2 ** -14) return sign | toEven(size * 2 ** 24);
  let exponent = Math.floor(Math.log2(size));
  if (size >= 2 ** (exponent + 1)) exponent++;
  else if (size < 2 ** exponent) exponent--;
  // A significand that rounds up to 2048 carries into the exponent, as it should.
  return sign + ((exponent + 14) << 10) + toEven(size * 2 ** (10 - exponent));
}

function toEven(value: number): number {
  const low = Math.floor(value);
  const rest = value - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
}
