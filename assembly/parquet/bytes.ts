/** Variable-length numbers. */

// @ts-ignore: decorator
@inline
export function varint(value: u64, at: usize): usize {
  while (value > 127) {
    store<u8>(at++, <u8>(value | 128));
    value >>= 7;
  }
  store<u8>(at, <u8>value);
  return at + 1;
}

// @ts-ignore: decorator
@inline
export function zigzag32(value: i32): u64 { return <u64><u32>((value << 1) ^ (value >> 31)); }

// @ts-ignore: decorator
@inline
export function zigzag64(value: i64): u64 { return <u64>((value << 1) ^ (value >> 63)); }
