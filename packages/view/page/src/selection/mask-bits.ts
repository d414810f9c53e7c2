/** Encodes a mask for the server: one bit per position, lowest bit first, in base64. */

/** @param mask one byte for each position, 0 or 1. */
export function maskBits(mask: Uint8Array): string {
  const bits = new Uint8Array(Math.ceil(mask.length / 8));
  for (let at = 0; at < mask.length; at++) {
    if (mask[at] !== 0) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  }
  let text = "";
  // The number of arguments of a call is limited. 3 · 2^13 bytes make base64 without padding between the chunks.
  const piece = 24_576;
  for (let from = 0; from < bits.length; from += piece) {
    text += btoa(String.fromCharCode(...bits.subarray(from, from + piece)));
  }
  return text;
}

export function countMask(mask: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < mask.length; at++) count += mask[at] as number;
  return count;
}
