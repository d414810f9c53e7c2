/**
 * Kernels for raw deflate (RFC 1951) inside the memory of this module, and for the checksums of its frames.
 *
 * The caller puts the stream at any place from `start()` on. It leaves IN_SLACK bytes behind the stream, and OUT_SLACK
 * bytes behind the room for the output: both are read or written in whole words, and their contents mean nothing. No
 * other memory is touched. Every step either takes bits of the input or ends, so that no stream runs forever.
 */

import {
  build,
  DISTANCE_BITS,
  DISTANCE_ROOM,
  distanceSymbols,
  distanceTable,
  END_OF_BLOCK,
  entryAt,
  EXCEPTION,
  lengths,
  LITLEN_BITS,
  LITLEN_ROOM,
  litlenSymbols,
  litlenTable,
  low,
  merge,
  MERGED,
  NO_SYMBOL,
  patterns,
  PRECODE_BITS,
  PRECODE_ROOM,
  precodeLengths,
  precodeOrder,
  precodeSymbols,
  precodeTable,
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

const OK = 0;
const TRUNCATED = 1;
const TOO_LONG = 2;
const BAD_BLOCK_TYPE = 3;
const BAD_STORED_LENGTH = 4;
const BAD_CODE_COUNT = 5;
const BAD_CODE_LENGTHS = 6;
const BAD_SYMBOL = 7;
const BAD_DISTANCE = 8;
const NO_MEMORY = 9;

let produced: usize = 0;
let consumed: usize = 0;
/** The index bits of the loaded tables. */
let litlenBits: u32 = 0;
let distanceBits: u32 = 0;
let fixedLoaded = false;

/** Returns the first byte of the caller's memory. */
export function start(): usize {
  return (__heap_base + 63) & ~(<usize>63);
}

/** Returns the number of bytes that the last stream gave. */
export function outputLength(): usize {
  return produced;
}

/** Returns the number of whole bytes that the last stream took. */
export function inputLength(): usize {
  return consumed;
}

/**
 * Decodes the stream in [input, input + size) to `output`.
 * @param room the most bytes that the stream may give; the memory grows as they come.
 * @returns OK, or the number of the error.
 */
export function inflate(input: usize, size: usize, output: usize, room: usize): i32 {
  const inEnd = input + size;
  memory.fill(inEnd, 0, IN_SLACK);
  /** The place of the 64 bits that follow the buffer; up to 8 bytes behind the end when all bits are taken. */
  let at = input;
  let buffer: u64 = 0;
  /** The number of bits in the buffer, in the lower 6 bits of this variable. */
  let held: u32 = 0;
  let out = output;
  const outEnd = output + room;
  let limit = min(outEnd, (<usize>memory.size() << 16) - OUT_SLACK);
  let last = false;
  produced = 0;
  consumed = 0;

  while (!last) {
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
      if (at + 4 > inEnd) return TRUNCATED;
      const length = <usize>load<u16>(at);
      if ((length ^ load<u16>(at, 2)) != 0xffff) return BAD_STORED_LENGTH;
      at += 4;
      if (at + length > inEnd) return TRUNCATED;
      if (out + length > outEnd) return TOO_LONG;
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
      const litlenCount = low(buffer >> 3, 5) + 257;
      const distanceCount = low(buffer >> 8, 5) + 1;
      const precodeCount = low(buffer >> 13, 4) + 4;
      if (litlenCount > 286 || distanceCount > 30) return BAD_CODE_COUNT;
      fixedLoaded = false;
      v128.store(precodeLengths, i64x2(0, 0));
      v128.store(precodeLengths, i64x2(0, 0), 16);
      // The buffer does not have 17 bits of header and 19 times 3 bits.
      buffer >>= 17;
      held -= 17;
      buffer |= load<u64>(at) << held;
      at += (~held >> 3) & 7;
      held |= 56;
      let k: usize = 0;
      for (const some = min<u32>(precodeCount, 18); k < some; k++) {
        store<u8>(precodeLengths + <usize>load<u8>(precodeOrder + k), <u8>low(buffer, 3));
        buffer >>= 3;
        held -= 3;
      }
      buffer |= load<u64>(at) << held;
      at += (~held >> 3) & 7;
      held |= 56;
      if (precodeCount == 19) {
        store<u8>(precodeLengths + <usize>load<u8>(precodeOrder + 18), <u8>low(buffer, 3));
        buffer >>= 3;
        held -= 3;
      }
      const precodeBits = build(precodeTable, PRECODE_ROOM, PRECODE_BITS, precodeSymbols, precodeLengths, 19, false);
      if (precodeBits < 0) return BAD_CODE_LENGTHS;
      const precodeMask = ((<u32>1) << precodeBits) - 1;
      const total = litlenCount + distanceCount;
      let i: u32 = 0;
      while (i < total) {
        if (at > inEnd + 8) return TRUNCATED;
        buffer |= load<u64>(at) << held;
        at += (~held >> 3) & 7;
        held |= 56;
        const entry = entryAt(precodeTable, buffer, precodeMask);
        buffer >>= <u64>entry;
        held -= entry & 63;
        const symbol = entry >>> 16;
        if (symbol < 16) {
          store<u8>(lengths + <usize>i, <u8>symbol);
          i++;
          continue;
        }
        let value: u8 = 0;
        let repeat: u32;
        if (symbol == 16) {
          if (i == 0) return BAD_CODE_LENGTHS;
          value = load<u8>(lengths + <usize>i - 1);
          repeat = 3 + low(buffer, 2);
          buffer >>= 2;
          held -= 2;
        } else if (symbol == 17) {
          repeat = 3 + low(buffer, 3);
          buffer >>= 3;
          held -= 3;
        } else {
          repeat = 11 + low(buffer, 7);
          buffer >>= 7;
          held -= 7;
        }
        if (i + repeat > total) return BAD_CODE_LENGTHS;
        const values = v128.splat<u8>(value);
        for (let k: u32 = 0; k < repeat; k += 16) v128.store(lengths + <usize>(i + k), values);
        i += repeat;
      }
      if (load<u8>(lengths, 256) == 0) return BAD_CODE_LENGTHS;
      const first = build(litlenTable, LITLEN_ROOM, LITLEN_BITS, litlenSymbols, lengths, litlenCount, true);
      if (first < 0) return BAD_CODE_LENGTHS;
      litlenBits = first;
      const after = lengths + litlenCount;
      const second = build(distanceTable, DISTANCE_ROOM, DISTANCE_BITS, distanceSymbols, after, distanceCount, true);
      if (second < 0) return BAD_CODE_LENGTHS;
      distanceBits = second;
      merge(litlenBits, distanceBits);
    } else {
      return BAD_BLOCK_TYPE;
    }

    const litlenMask = ((<u32>1) << litlenBits) - 1;
    const distanceMask = ((<u32>1) << distanceBits) - 1;
    buffer |= load<u64>(at) << held;
    at += (~held >> 3) & 7;
    held |= 56;
    let entry = entryAt(litlenTable, buffer, litlenMask);
    // Every round but the last gives at least one byte. It takes at most 10 + 10 + 10 bits or one match.
    for (;;) {
      if (at > inEnd + 8) return TRUNCATED;
      if (out > limit) {
        if (out > outEnd) return TOO_LONG;
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
          if (distance > out - output) return BAD_DISTANCE;
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
      if (distance > out - output) return BAD_DISTANCE;
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
  }
  at -= (held & 63) >> 3;
  if (at > inEnd) return TRUNCATED;
  if (out > outEnd) return TOO_LONG;
  produced = out - output;
  consumed = at - input;
  return OK;
}

function loadFixed(): void {
  if (fixedLoaded) return;
  memory.fill(lengths, 8, 144);
  memory.fill(lengths + 144, 9, 112);
  memory.fill(lengths + 256, 7, 24);
  memory.fill(lengths + 280, 8, 8);
  memory.fill(lengths + 288, 5, 32);
  litlenBits = build(litlenTable, LITLEN_ROOM, LITLEN_BITS, litlenSymbols, lengths, 288, false);
  distanceBits = build(distanceTable, DISTANCE_ROOM, DISTANCE_BITS, distanceSymbols, lengths + 288, 32, false);
  merge(litlenBits, distanceBits);
  fixedLoaded = true;
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

