/** Kernels over bytes, in the memory of this module from `start()` on. */

import { shuffle2 as values2, shuffle4 as values4, shuffle8 as values8 } from "./shuffle/planes";
import { unshuffle2 as planes2, unshuffle4 as planes4, unshuffle8 as planes8 } from "./unshuffle/planes";

/** Returns the first byte of the caller's memory. `lzf` reads and writes up to 64 bytes behind its input and output. */
export function start(): usize {
  return (__heap_base + 63) & ~(<usize>63);
}

/** For every distance below 16, the positions in the last bytes from which the next 16 bytes are taken. */
const patterns = memory.data(16 << 4, 16);
/**
 * For every distance below 16, the number of bytes after which these 16 repeat: the greatest multiple of the distance.
 */
const strides = memory.data(16, 16);

for (let distance: usize = 1; distance < 16; distance++) {
  for (let i: usize = 0; i < 16; i++) store<u8>(patterns + (distance << 4) + i, <u8>(i % distance));
  store<u8>(strides + distance, <u8>((16 / distance) * distance));
}

/** Decodes LZF to `output`. Returns whether [input, input + size) is a stream that gives exactly `room` bytes. */
export function lzf(input: usize, size: usize, output: usize, room: usize): bool {
  const inEnd = input + size;
  const outEnd = output + room;
  let at = input;
  let out = output;
  while (at < inEnd) {
    const control = <usize>load<u8>(at++);
    if (control < 32) {
      const length = control + 1;
      if (at + length > inEnd || out + length > outEnd) return false;
      v128.store(out, v128.load(at));
      v128.store(out, v128.load(at, 16), 16);
      at += length;
      out += length;
      continue;
    }
    let length = (control >> 5) + 2;
    if (at + 1 + usize(length == 9) > inEnd) return false;
    if (length == 9) length += <usize>load<u8>(at++);
    const distance = ((control & 31) << 8) + <usize>load<u8>(at++) + 1;
    if (distance > out - output || out + length > outEnd) return false;
    let from = out - distance;
    let to = out;
    out += length;
    if (distance >= 16) {
      do {
        v128.store(to, v128.load(from));
        to += 16;
        from += 16;
      } while (to < out);
    } else {
      const pattern = v128.swizzle(v128.load(from), v128.load(patterns + (distance << 4)));
      const stride = <usize>load<u8>(strides + distance);
      do {
        v128.store(to, pattern);
        to += stride;
      } while (to < out);
    }
  }
  return out == outEnd;
}

/** Joins planes of `count` bytes, a multiple of 16, to values of 2 bytes. */
export function unshuffle2(planes: usize, output: usize, count: usize): void {
  planes2(planes, output, count, count);
}

/** Works like `unshuffle2`, to values of 4 bytes. */
export function unshuffle4(planes: usize, output: usize, count: usize): void {
  planes4(planes, output, count, count);
}

/** Works like `unshuffle2`, to values of 8 bytes. */
export function unshuffle8(planes: usize, output: usize, count: usize): void {
  planes8(planes, output, count, count);
}

/** Splits `count` values of 2 bytes, a multiple of 16, into planes. */
export function shuffle2(values: usize, output: usize, count: usize): void {
  values2(values, output, count, count);
}

/** Works like `shuffle2`, from values of 4 bytes. */
export function shuffle4(values: usize, output: usize, count: usize): void {
  values4(values, output, count, count);
}

/** Works like `shuffle2`, from values of 8 bytes. */
export function shuffle8(values: usize, output: usize, count: usize): void {
  values8(values, output, count, count);
}

/** Reverses the bytes of each value of 2, 4, 8 or 16 bytes in place; `size` is a multiple of 16. */
export function swap(at: usize, size: usize, valueSize: u32): void {
  let order = i8x16(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
  if (valueSize == 4) order = i8x16(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
  if (valueSize == 8) order = i8x16(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
  if (valueSize == 16) order = i8x16(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (const end = at + size; at < end; at += 16) v128.store(at, v128.swizzle(v128.load(at), order));
}
