import { platform } from "#platform";

/** Returns the eight CRC-32 tables of a reflected polynomial. Eight tables process eight bytes per step. */
function crcTables(polynomial: number): Uint32Array[] {
  const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
  for (let i = 0; i < 256; i++) {
    let crc = i;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    tables[0][i] = crc;
  }
  for (let t = 1; t < 8; t++) {
    for (let i = 0; i < 256; i++) tables[t][i] = (tables[t - 1][i] >>> 8) ^ tables[0][tables[t - 1][i] & 0xff];
  }
  return tables;
}

/** @returns a function that updates the checksum `before` with further bytes. The checksum of no bytes is 0. */
function makeCrc(polynomial: number): (bytes: Uint8Array, before?: number) => number {
  let tables: Uint32Array[] | undefined;
  return (bytes, before = 0) => {
    tables ??= crcTables(polynomial);
    const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;
    let crc = before ^ 0xffffffff;
    let i = 0;
    for (const end = bytes.length - (bytes.length % 8); i < end; i += 8) {
      const low = crc ^ (bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
      crc =
        t7[low & 0xff] ^
        t6[(low >>> 8) & 0xff] ^
        t5[(low >>> 16) & 0xff] ^
        t4[low >>> 24] ^
        t3[bytes[i + 4]] ^
        t2[bytes[i + 5]] ^
        t1[bytes[i + 6]] ^
        t0[bytes[i + 7]];
    }
    for (; i < bytes.length; i++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[i]) & 0xff];
    return (crc ^ 0xffffffff) >>> 0;
  };
}

/** CRC-32 in JavaScript, for platforms without a native function. */
export const computeFallbackCrc32 = makeCrc(0xedb88320);

/** Updates the checksum `before` with further bytes: CRC-32 as in zip, gzip and zlib (ISO 3309). */
export function computeCrc32(bytes: Uint8Array, before = 0): number {
  return (platform.crc32 ?? computeFallbackCrc32)(bytes, before);
}

/** CRC-32C (Castagnoli), as in Zarr's `crc32c` codec. */
export const crc32c = makeCrc(0x82f63b78);

/** Adler-32, as at the end of a zlib stream. */
export function computeAdler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (let i = 0; i < bytes.length; ) {
    // The sums must be reduced after at most 3800 bytes, before they could exceed 32 bits.
    const end = Math.min(i + 3800, bytes.length);
    for (; i < end; i++) {
      a += bytes[i];
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return ((b << 16) | a) >>> 0;
}

/** HDF5's checksum over big-endian 16-bit words. An odd last byte is the high half of its word. */
export function computeFletcher32(data: Uint8Array): number {
  let low = 0;
  let high = 0;
  const even = data.length - (data.length % 2);
  for (let start = 0; start < even; ) {
    // At most 720 additions stay below 2^32.
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
