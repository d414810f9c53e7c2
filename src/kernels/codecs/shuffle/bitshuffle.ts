/**
 * Undoes bitshuffle in one block, which stores bit k of all values before bit k + 1. Row `8 * byte + bit` of `planes`
 * has one bit of each value, with the first value in the lowest bit of the row's first byte.
 * @param planes `count` values of `valueSize` bytes, with `count` a multiple of 8.
 * @param out memory of equal size.
 */
export function unbitshuffle(planes: Uint8Array, out: Uint8Array, valueSize: number): void {
  const row = planes.length / valueSize / 8;
  for (let byte = 0; byte < valueSize; byte++) {
    const first = 8 * byte * row;
    for (let group = 0, at = first, to = byte; group < row; group++, at++) {
      // Eight bits of eight values form a square of bits, transposed in two halves (Hacker's Delight, 7-3).
      let low = planes[at] | (planes[at + row] << 8) | (planes[at + 2 * row] << 16) | (planes[at + 3 * row] << 24);
      let high =
        planes[at + 4 * row] |
        (planes[at + 5 * row] << 8) |
        (planes[at + 6 * row] << 16) |
        (planes[at + 7 * row] << 24);
      let swap = (low ^ (low >>> 7)) & 0x00aa00aa;
      low ^= swap ^ (swap << 7);
      swap = (high ^ (high >>> 7)) & 0x00aa00aa;
      high ^= swap ^ (swap << 7);
      swap = (low ^ (low >>> 14)) & 0x0000cccc;
      low ^= swap ^ (swap << 14);
      swap = (high ^ (high >>> 14)) & 0x0000cccc;
      high ^= swap ^ (swap << 14);
      swap = ((low >>> 4) ^ high) & 0x0f0f0f0f;
      high ^= swap;
      low ^= swap << 4;
      for (let i = 0; i < 4; i++, to += valueSize) out[to] = low >>> (8 * i);
      for (let i = 0; i < 4; i++, to += valueSize) out[to] = high >>> (8 * i);
    }
  }
}
