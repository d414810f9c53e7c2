/**
 * Kernels for raw deflate (RFC 1951) inside the memory of this module, and for the checksums of its frames.
 *
 * The caller puts the stream at any place from `start()` on. It leaves IN_SLACK bytes behind the stream, and OUT_SLACK
 * bytes behind the room for the output: both are read or written in whole words, and their contents mean nothing. No
 * other memory is touched. Every step either takes bits of the input or ends, so that no stream runs forever.
 */

import { distanceBits, litlenBits, loadDynamic, loadFixed, nextAt, nextBits, nextCount } from "./inflate/codes";
import {
  BAD_BLOCK_TYPE,
  BAD_DISTANCE,
  BAD_STORED_LENGTH,
  BAD_SYMBOL,
  MORE_INPUT,
  MORE_ROOM,
  NO_MEMORY,
  OK,
  TOO_LONG,
  TRUNCATED,
} from "./inflate/status";
import {
  distanceTable,
  END_OF_BLOCK,
  entryAt,
  EXCEPTION,
  litlenTable,
  low,
  MERGED,
  NO_SYMBOL,
  patterns,
  strides,
  valueOf,
} from "./inflate/tables";

export { adler32, crc32 } from "./inflate/checksums";

/** Bytes that are read behind the end of the input. */
const IN_SLACK: usize = 64;
/** Bytes that are written behind the end of the output: three literals, a match of 258, and a whole vector. */
const OUT_SLACK: usize = 320;
/** The most pages, one less than 32 bits can address. */
const MAX_PAGES: usize = 0xffff;

/** The most bytes of the header of a block, with the lengths of all codes at 14 bits each: 563. */
const HEADER: usize = 640;

let produced: usize = 0;
let consumed: usize = 0;
/** Where the next part goes on: the bits before its first byte, and whether it is inside a block, and in the last. */
let keptBits: u64 = 0;
let keptCount: u32 = 0;
let isInside = false;
let isLast = false;

/** Returns the first byte of the caller's memory. */
export function start(): usize {
  return (__heap_base + 63) & ~(<usize>63);
}

/** Returns the number of bytes that the last stream, or part, gave. */
export function outputLength(): usize {
  return produced;
}

/** Returns the number of whole bytes that the last stream, or part, took. */
export function inputLength(): usize {
  return consumed;
}

/**
 * Decodes the stream in [input, input + size) to `output`.
 * @param room the most bytes that the stream may give; the memory grows as they come.
 * @returns OK, or the number of the error.
 */
export function inflate(input: usize, size: usize, output: usize, room: usize): i32 {
  begin();
  return decode(input, size, output, output, room, true, false);
}

/** Begins a stream that comes in parts. */
export function begin(): void {
  keptBits = 0;
  keptCount = 0;
  isInside = false;
  isLast = false;
}

/**
 * Decodes a part of the stream, which goes on where the part before has ended. Other streams must not come between.
 * @param history the first byte of the output so far, in the same memory: 32 KiB, or all of it.
 * @param room at least 64 KiB, which a stored block needs. Up to OUT_SLACK bytes more come where it is used up.
 * @param isEnd whether the stream has no bytes behind the input, which else is at least 128 KiB.
 * @returns OK at the end of the stream, MORE_INPUT, MORE_ROOM, or the number of the error.
 */
export function inflatePart(
  input: usize,
  size: usize,
  history: usize,
  output: usize,
  room: usize,
  isEnd: bool,
): i32 {
  return decode(input, size, history, output, room, isEnd, true);
}

function decode(
  input: usize,
  size: usize,
  history: usize,
  output: usize,
  room: usize,
  isEnd: bool,
  isPart: bool,
): i32 {
  const inEnd = input + size;
  /** A round reads less than 32 bytes, all of which must be there in a part that others follow. */
  const inStop = isEnd ? inEnd + 8 : inEnd - IN_SLACK;
  memory.fill(inEnd, 0, IN_SLACK);
  /** The place of the 64 bits that follow the buffer; up to 8 bytes behind the end when all bits are taken. */
  let at = input;
  let buffer = keptBits;
  /** The number of bits in the buffer, in the lower 6 bits of this variable. */
  let held = keptCount;
  let out = output;
  const outEnd = output + room;
  let limit = min(outEnd, (<usize>memory.size() << 16) - OUT_SLACK);
  let last = isLast;
  let inside = isInside;
  produced = 0;
  consumed = 0;

  while (inside || !last) {
    if (!inside) {
      at -= (held & 63) >> 3;
      held &= 7;
      buffer = low(buffer, held);
      // A part may have to begin again with this block.
      keep(at - input, out - output, buffer, held, last, false);
      if (!isEnd && at + HEADER > inEnd) return MORE_INPUT;
      buffer |= load<u64>(at) << held;
      at += (~held >> 3) & 7;
      held |= 56;
      last = (<u32>buffer & 1) != 0;
      const type = low(buffer >> 1, 2);
      if (type == 0) {
        // The input returns to the first whole byte behind the block header.
        const before: u32 = (held & 63) - 3;
        at -= before >> 3;
        buffer = 0;
        held = 0;
        if (at + 4 > inEnd) return isEnd ? TRUNCATED : MORE_INPUT;
        const length = <usize>load<u16>(at);
        if ((length ^ load<u16>(at, 2)) != 0xffff) return BAD_STORED_LENGTH;
        at += 4;
        if (at + length > inEnd) return isEnd ? TRUNCATED : MORE_INPUT;
        if (out + length > outEnd) return isPart ? MORE_ROOM : TOO_LONG;
        if (out + length > limit) {
          limit = grow(out + length, outEnd);
          if (limit == 0) return NO_MEMORY;
        }
        memory.copy(out, at, length);
        at += length;
        out += length;
        continue;
      }
      if (type == 1) {
        buffer >>= 3;
        held -= 3;
        loadFixed();
      } else if (type == 2) {
        const status = loadDynamic(at, buffer, held, inEnd);
        if (status != OK) return status;
        at = nextAt;
        buffer = nextBits;
        held = nextCount;
      } else {
        return BAD_BLOCK_TYPE;
      }
    }
    inside = true;

    const litlenMask = ((<u32>1) << litlenBits) - 1;
    const distanceMask = ((<u32>1) << distanceBits) - 1;
    buffer |= load<u64>(at) << held;
    at += (~held >> 3) & 7;
    held |= 56;
    let entry = entryAt(litlenTable, buffer, litlenMask);
    // Every round but the last gives at least one byte. It takes at most 10 + 10 + 10 bits or one match.
    for (;;) {
      if (at > inStop) {
        if (isEnd) return TRUNCATED;
        suspend(at - input, out - output, buffer, held, last);
        return MORE_INPUT;
      }
      if (out > limit) {
        if (out > outEnd) {
          if (!isPart) return TOO_LONG;
          suspend(at - input, out - output, buffer, held, last);
          return MORE_ROOM;
        }
        limit = grow(out, outEnd);
        if (limit == 0) return NO_MEMORY;
      }
      let before = buffer;
      buffer >>= <u64>entry;
      held -= entry;
      if (<i32>entry < 0) {
        store<u8>(out, <u8>(entry >>> 16));
        out++;
        entry = entryAt(litlenTable, buffer, litlenMask);
        before = buffer;
        buffer >>= <u64>entry;
        held -= entry;
        if (<i32>entry < 0) {
          store<u8>(out, <u8>(entry >>> 16));
          out++;
          entry = entryAt(litlenTable, buffer, litlenMask);
          before = buffer;
          buffer >>= <u64>entry;
          held -= entry;
          if (<i32>entry < 0) {
            store<u8>(out, <u8>(entry >>> 16));
            out++;
            buffer |= load<u64>(at) << held;
            at += (~held >> 3) & 7;
            held |= 56;
            entry = entryAt(litlenTable, buffer, litlenMask);
            continue;
          }
        }
      }
      if (entry & (EXCEPTION | MERGED)) {
        if (entry & MERGED) {
          const distance = <usize>(entry >>> 25);
          if (distance > out - history) return BAD_DISTANCE;
          const pattern = v128.swizzle(v128.load(out - distance), v128.load(patterns + (distance << 4)));
          let to = out;
          out += <usize>((entry >>> 16) & 511);
          v128.store(to, pattern);
          const stride = <usize>load<u8>(strides + distance);
          to += stride;
          while (to < out) {
            v128.store(to, pattern);
            to += stride;
          }
          buffer |= load<u64>(at) << held;
          at += (~held >> 3) & 7;
          held |= 56;
          entry = entryAt(litlenTable, buffer, litlenMask);
          continue;
        }
        if (entry & END_OF_BLOCK) break;
        if (entry & NO_SYMBOL) return BAD_SYMBOL;
        entry = load<u32>(litlenTable + (<usize>((entry >>> 16) + low(buffer, (entry >>> 8) & 15)) << 2));
        before = buffer;
        buffer >>= <u64>entry;
        held -= entry;
        if (<i32>entry < 0) {
          store<u8>(out, <u8>(entry >>> 16));
          out++;
          buffer |= load<u64>(at) << held;
          at += (~held >> 3) & 7;
          held |= 56;
          entry = entryAt(litlenTable, buffer, litlenMask);
          continue;
        }
        if (entry & EXCEPTION) {
          if (entry & END_OF_BLOCK) break;
          return BAD_SYMBOL;
        }
      }
      const length = <usize>valueOf(entry, before);
      // Up to 10 + 10 + 15 + 5 bits may be gone, and a distance takes up to 28. A branch is cheaper than loading every
      // time.
      if ((held & 63) < 28) {
        buffer |= load<u64>(at) << held;
        at += (~held >> 3) & 7;
        held |= 56;
      }
      entry = entryAt(distanceTable, buffer, distanceMask);
      before = buffer;
      buffer >>= <u64>entry;
      held -= entry;
      if (entry & EXCEPTION) {
        if (entry & NO_SYMBOL) return BAD_SYMBOL;
        entry = load<u32>(distanceTable + (<usize>((entry >>> 16) + low(buffer, (entry >>> 8) & 15)) << 2));
        before = buffer;
        buffer >>= <u64>entry;
        held -= entry;
        if (entry & EXCEPTION) return BAD_SYMBOL;
      }
      const distance = <usize>valueOf(entry, before);
      if (distance > out - history) return BAD_DISTANCE;
      buffer |= load<u64>(at) << held;
      at += (~held >> 3) & 7;
      held |= 56;
      entry = entryAt(litlenTable, buffer, litlenMask);
      let from = out - distance;
      let to = out;
      out += length;
      if (distance >= 16) {
        v128.store(to, v128.load(from));
        if (length > 16) {
          do {
            to += 16;
            from += 16;
            v128.store(to, v128.load(from));
          } while (to + 16 < out);
        }
      } else {
        const pattern = v128.swizzle(v128.load(from), v128.load(patterns + (distance << 4)));
        const stride = <usize>load<u8>(strides + distance);
        do {
          v128.store(to, pattern);
          to += stride;
        } while (to < out);
      }
    }
    if (at - ((held & 63) >> 3) > inEnd) return TRUNCATED;
    inside = false;
  }
  at -= (held & 63) >> 3;
  if (at > inEnd) return TRUNCATED;
  if (out > outEnd && !isPart) return TOO_LONG;
  produced = out - output;
  consumed = at - input;
  return OK;
}

/** Keeps where a part begins that goes on inside a block. */
function suspend(taken: usize, given: usize, buffer: u64, held: u32, last: bool): void {
  const whole = (held & 63) >> 3;
  keep(taken - whole, given, buffer, held & 7, last, true);
}

/** Keeps where the next part begins, with the bits before its first byte. */
@inline
function keep(taken: usize, given: usize, buffer: u64, count: u32, last: bool, inside: bool): void {
  consumed = taken;
  produced = given;
  keptBits = low(buffer, count);
  keptCount = count;
  isLast = last;
  isInside = inside;
}

/**
 * Grows the memory so that output fits up to `needed`. Returns the new limit of the output, at most `outEnd`; 0 where
 * the memory cannot grow.
 */
function grow(needed: usize, outEnd: usize): usize {
  const have = <usize>memory.size();
  const missing = ((needed + OUT_SLACK + 0xffff) >>> 16) + 1 - have;
  // The memory grows by a quarter where it can, because its pages need not be copied.
  const more = min(max(missing, have >> 2), MAX_PAGES - have);
  if (have + missing > MAX_PAGES) return 0;
  if (memory.grow(<i32>more) < 0 && memory.grow(<i32>missing) < 0) return 0;
  return min(outEnd, (<usize>memory.size() << 16) - OUT_SLACK);
}

