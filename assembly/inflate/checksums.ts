/** The checksums of the frames around deflate. */

/** Adler-32 of RFC 1950. */
export function adler32(at: usize, size: usize): u32 {
  const high = i16x8(16, 15, 14, 13, 12, 11, 10, 9);
  const lower = i16x8(8, 7, 6, 5, 4, 3, 2, 1);
  let a: u32 = 1;
  let b: u32 = 0;
  while (size >= 16) {
    // At most 5552 bytes can be added before a sum could pass 32 bits.
    let run = min<usize>(size & ~15, 5552);
    size -= run;
    b += a * <u32>run;
    let sums = i32x4(0, 0, 0, 0);
    let before = i32x4(0, 0, 0, 0);
    let weighted = i32x4(0, 0, 0, 0);
    for (; run > 0; run -= 16, at += 16) {
      const bytes = v128.load(at);
      const first = i16x8.extend_low_i8x16_u(bytes);
      const second = i16x8.extend_high_i8x16_u(bytes);
      before = i32x4.add(before, sums);
      sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(i16x8.add(first, second)));
      weighted = i32x4.add(weighted, i32x4.add(i32x4.dot_i16x8_s(first, high), i32x4.dot_i16x8_s(second, lower)));
    }
    b = <u32>((<u64>b + <u64>16 * total(before) + total(weighted)) % 65521);
    a = <u32>((<u64>a + total(sums)) % 65521);
  }
  for (; size > 0; size--, at++) {
    a += load<u8>(at);
    b += a;
  }
  return ((b % 65521) << 16) | (a % 65521);
}

@inline
function total(sums: v128): u64 {
  return (
    <u64>(<u32>i32x4.extract_lane(sums, 0)) +
    <u64>(<u32>i32x4.extract_lane(sums, 1)) +
    <u64>(<u32>i32x4.extract_lane(sums, 2)) +
    <u64>(<u32>i32x4.extract_lane(sums, 3))
  );
}

/** Eight tables for the polynomial 0xedb88320. Table k is for a byte followed by k bytes. */
const crcTables = memory.data(8 << 10, 64);

for (let i: u32 = 0; i < 256; i++) {
  let crc = i;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  store<u32>(crcTables + (<usize>i << 2), crc);
}
for (let i: usize = 256; i < 2048; i++) {
  const before = load<u32>(crcTables + ((i - 256) << 2));
  store<u32>(crcTables + (i << 2), (before >>> 8) ^ crcOf(0, before));
}

@inline
function crcOf(table: usize, byte: u32): u32 {
  return load<u32>(crcTables + (table << 10) + (<usize>(byte & 255) << 2));
}

/** CRC-32 of RFC 1952, continued from that of the bytes before; 0 where there are none. */
export function crc32(at: usize, size: usize, before: u32): u32 {
  let crc = ~before;
  for (; size >= 8; size -= 8, at += 8) {
    const low = load<u32>(at) ^ crc;
    const high = load<u32>(at, 4);
    crc =
      crcOf(7, low) ^
      crcOf(6, low >>> 8) ^
      crcOf(5, low >>> 16) ^
      crcOf(4, low >>> 24) ^
      crcOf(3, high) ^
      crcOf(2, high >>> 8) ^
      crcOf(1, high >>> 16) ^
      crcOf(0, high >>> 24);
  }
  for (; size > 0; size--, at++) crc = (crc >>> 8) ^ crcOf(0, crc ^ load<u8>(at));
  return ~crc;
}
