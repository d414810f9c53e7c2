/** The hybrid of run lengths and bit-packing: runs of at least 2 equal groups of 8, and packed groups between them. */

import { pack32, packIndices } from "./bit-packing";
import { varint } from "./bytes";
import { INPUT, OUTPUT } from "./memory";

/** Encodes numbers of 16 bits at `input()`. Returns the length. */
export function hybrid16(count: i32, width: i32): i32 {
  return <i32>(hybrid16From(INPUT, count, width, OUTPUT) - OUTPUT);
}

// @ts-ignore: decorator
@inline
function isRun16(at: usize, value: v128): bool { return i16x8.all_true(i16x8.eq(v128.load(at), value)); }

export function hybrid16From(from: usize, count: i32, width: i32, at: usize): usize {
  const end = from + (<usize>((count + 7) >> 3) << 4);
  // An incomplete last group is never part of a run.
  const whole = from + (<usize>(count >> 3) << 4);
  for (let p = from + (<usize>count << 1); p < end; p += 2) store<u16>(p, 0);
  while (from < end) {
    let start = from;
    let stop = end;
    for (; start < whole; start += 16) {
      const value = v128.load16_splat(start);
      if (!isRun16(start, value)) continue;
      stop = start + 16;
      while (stop < whole && isRun16(stop, value)) stop += 16;
      if (stop - start >= 32) break;
    }
    const run = start < whole;
    if (!run) start = end;
    if (start > from) {
      at = varint(((start - from) >> 4 << 1) | 1, at);
      at = packIndices(from, <i32>((start - from) >> 1), width, at);
    }
    if (run) at = runOf(<u32>load<u16>(start), (stop - start) >> 1, width, at);
    from = run ? stop : end;
  }
  return at;
}

/** Encodes numbers of 32 bits at `input()`. Returns the length. */
export function hybrid32(count: i32, width: i32): i32 {
  let from = INPUT;
  let at = OUTPUT;
  const end = from + (<usize>((count + 7) >> 3) << 5);
  const whole = from + (<usize>(count >> 3) << 5);
  for (let p = from + (<usize>count << 2); p < end; p += 4) store<u32>(p, 0);
  while (from < end) {
    let start = from;
    let stop = end;
    for (; start < whole; start += 32) {
      const value = v128.load32_splat(start);
      if (!isRun32(start, value)) continue;
      stop = start + 32;
      while (stop < whole && isRun32(stop, value)) stop += 32;
      if (stop - start >= 64) break;
    }
    const run = start < whole;
    if (!run) start = end;
    if (start > from) {
      at = varint(((start - from) >> 5 << 1) | 1, at);
      at = pack32(from, <i32>((start - from) >> 2), 0, width, at);
    }
    if (run) at = runOf(load<u32>(start), (stop - start) >> 2, width, at);
    from = run ? stop : end;
  }
  return <i32>(at - OUTPUT);
}

// @ts-ignore: decorator
@inline
function isRun32(at: usize, value: v128): bool {
  return i32x4.all_true(v128.and(i32x4.eq(v128.load(at), value), i32x4.eq(v128.load(at, 16), value)));
}

/** Writes a repeated value, in as many bytes as its width takes. */
function runOf(value: u32, count: usize, width: i32, at: usize): usize {
  at = varint(<u64>count << 1, at);
  store<u32>(at, value);
  return at + ((width + 7) >> 3);
}
