/** The codes of a block: those of its header, or the fixed ones (RFC 1951, 3.2.6 and 3.2.7), loaded into the tables. */

import { BAD_CODE_COUNT, BAD_CODE_LENGTHS, OK, TRUNCATED } from "./status";
import {
  build,
  DISTANCE_BITS,
  DISTANCE_ROOM,
  distanceSymbols,
  distanceTable,
  entryAt,
  lengths,
  LITLEN_BITS,
  LITLEN_ROOM,
  litlenSymbols,
  litlenTable,
  low,
  merge,
  PRECODE_BITS,
  PRECODE_ROOM,
  precodeLengths,
  precodeOrder,
  precodeSymbols,
  precodeTable,
} from "./tables";

/** The index bits of the loaded tables. */
export let litlenBits: u32 = 0;
export let distanceBits: u32 = 0;
let fixedLoaded = false;

/** Behind the header: the place of the input, and the buffer with the number of its bits. */
export let nextAt: usize = 0;
export let nextBits: u64 = 0;
export let nextCount: u32 = 0;

/**
 * Loads the codes of a header, whose first bits are in the buffer.
 * @returns OK, or the number of the error.
 */
export function loadDynamic(at: usize, buffer: u64, held: u32, inEnd: usize): i32 {
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
  nextAt = at;
  nextBits = buffer;
  nextCount = held;
  return OK;
}

/** Loads the fixed codes. */
export function loadFixed(): void {
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
