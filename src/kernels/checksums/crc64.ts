/** CRC-64 of ECMA-182, reflected, as in xz: two halves of 32 bits, for speed. */
export function crc64(bytes: Uint8Array): bigint {
  let low = 0xffffffff;
  let high = 0xffffffff;
  for (const byte of bytes) {
    const index = (low ^ byte) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ LOW[index];
    high = (high >>> 8) ^ HIGH[index];
  }
  return (BigInt(~high >>> 0) << 32n) | BigInt(~low >>> 0);
}

const LOW = new Uint32Array(256);
const HIGH = new Uint32Array(256);
for (let i = 0; i < 256; i++) {
  let crc = BigInt(i);
  for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0xc96c5795d7870f42n : crc >> 1n;
  LOW[i] = Number(crc & 0xffffffffn);
  HIGH[i] = Number(crc >> 32n);
}
