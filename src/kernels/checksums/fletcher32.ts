/** HDF5's checksum: over big-endian words of 16 bits; an odd last byte is the high half of its word. */
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
