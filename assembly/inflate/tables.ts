/** The decode tables of a block, and their construction from the lengths of its codes (RFC 1951, 3.2.2). */

/*
 * An entry of a decode table, 32 bits:
 *   0-5    bits to take: the code, or the rest of it in a subtable, and the extra bits behind it
 *   8-11   the number of these bits that belong to the code
 *   16-30  the base of a length or distance; a literal; where the subtable begins
 *   12     a whole match: its length in 16-24, its distance in 25-28
 *   13     no symbol has this code
 *   14     end of block
 *   15     one of the exceptions: 13, 14, or else a subtable, whose index bits are in 8-11
 *   31     a literal
 */
const LITERAL: u32 = 1 << 31;
export const EXCEPTION: u32 = 1 << 15;
export const END_OF_BLOCK: u32 = 1 << 14;
export const NO_SYMBOL: u32 = 1 << 13;
export const MERGED: u32 = 1 << 12;

export const LITLEN_BITS: u32 = 10;
export const DISTANCE_BITS: u32 = 8;
export const PRECODE_BITS: u32 = 7;
const MAX_BITS: u32 = 15;

/**
 * The most entries of a table and all its subtables: at most 1334 for 288 codes and 10 bits, 402 for 32 codes and 8
 * bits.
 */
export const LITLEN_ROOM: u32 = 1344;
export const DISTANCE_ROOM: u32 = 416;
export const PRECODE_ROOM: u32 = 128;
export const litlenTable = memory.data(1344 << 2, 64);
export const distanceTable = memory.data(416 << 2, 64);
export const precodeTable = memory.data(128 << 2, 64);
/** The entries by symbol, without the bits of their codes. */
export const litlenSymbols = memory.data(288 << 2, 16);
export const distanceSymbols = memory.data(32 << 2, 16);
export const precodeSymbols = memory.data(19 << 2, 16);
/** The lengths of a block's codes, a byte each, literals and lengths first. Repetitions are written 16 at a time. */
export const lengths = memory.data(288 + 32 + 16, 16);
export const precodeLengths = memory.data(32, 16);
/**
 * The parts of a table under construction: the number of codes of each length, the starts of their symbols, the
 * symbols.
 */
const counts = memory.data(16 << 2, 16);
const starts = memory.data(16 << 2, 16);
const sorted = memory.data(288 << 1, 16);
/** For every distance below 16, the positions in the last bytes from which the next 16 bytes are taken. */
export const patterns = memory.data(16 << 4, 16);
/**
 * For every distance below 16, the number of bytes after which these 16 repeat: the greatest multiple of the distance.
 */
export const strides = memory.data(16, 16);

export const precodeOrder = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);

prepare();

function prepare(): void {
  for (let i: u32 = 0; i < 256; i++) store<u32>(litlenSymbols + (<usize>i << 2), LITERAL | (i << 16));
  store<u32>(litlenSymbols + (256 << 2), EXCEPTION | END_OF_BLOCK);
  let base: u32 = 3;
  for (let i: u32 = 257; i < 285; i++) {
    const extra: u32 = i < 265 ? 0 : (i - 261) >> 2;
    store<u32>(litlenSymbols + (<usize>i << 2), (base << 16) | extra);
    base += 1 << extra;
  }
  store<u32>(litlenSymbols + (285 << 2), 258 << 16);
  store<u32>(litlenSymbols + (286 << 2), EXCEPTION | NO_SYMBOL);
  store<u32>(litlenSymbols + (287 << 2), EXCEPTION | NO_SYMBOL);
  base = 1;
  for (let i: u32 = 0; i < 30; i++) {
    const extra: u32 = i < 4 ? 0 : (i - 2) >> 1;
    store<u32>(distanceSymbols + (<usize>i << 2), (base << 16) | extra);
    base += 1 << extra;
  }
  store<u32>(distanceSymbols + (30 << 2), EXCEPTION | NO_SYMBOL);
  store<u32>(distanceSymbols + (31 << 2), EXCEPTION | NO_SYMBOL);
  for (let i: u32 = 0; i < 19; i++) store<u32>(precodeSymbols + (<usize>i << 2), i << 16);
  for (let distance: usize = 1; distance < 16; distance++) {
    for (let i: usize = 0; i < 16; i++) store<u8>(patterns + (distance << 4) + i, <u8>(i % distance));
    store<u8>(strides + distance, <u8>((16 / distance) * distance));
  }
}

/** Fills a table with a canonical code. Returns its index bits, or -1 where the lengths make no code. */
export function build(
  table: usize,
  room: u32,
  most: u32,
  symbols: usize,
  codeLengths: usize,
  count: u32,
  mayBeIncomplete: bool,
): i32 {
  for (let at: usize = 0; at < 64; at += 16) v128.store(counts + at, i64x2(0, 0));
  for (let i: usize = 0; i < count; i++) {
    const slot = counts + (<usize>load<u8>(codeLengths + i) << 2);
    store<u32>(slot, load<u32>(slot) + 1);
  }
  store<u32>(counts, 0);
  let longest: u32 = MAX_BITS;
  while (longest > 0 && load<u32>(counts + (<usize>longest << 2)) == 0) longest--;
  let left: i32 = 1;
  let first: u32 = 0;
  for (let length: usize = 1; length <= <usize>MAX_BITS; length++) {
    const n = load<u32>(counts + (length << 2));
    left = (left << 1) - <i32>n;
    if (left < 0) return -1;
    store<u32>(starts + (length << 2), first);
    first += n;
  }
  if (left > 0 && (longest > 1 || !mayBeIncomplete)) return -1;
  for (let i: usize = 0; i < count; i++) {
    const length = <usize>load<u8>(codeLengths + i);
    if (length == 0) continue;
    const slot = starts + (length << 2);
    const at = load<u32>(slot);
    store<u16>(sorted + (<usize>at << 1), <u16>i);
    store<u32>(slot, at + 1);
  }
  if (left > 0) {
    // With one code of one bit, or none, every other bit is no symbol.
    store<u32>(table, EXCEPTION | NO_SYMBOL | 1);
    store<u32>(table, EXCEPTION | NO_SYMBOL | 1, 4);
    if (longest == 1) store<u32>(table, load<u32>(symbols + (<usize>load<u16>(sorted) << 2)) + 0x101);
    return 1;
  }

  // Codes come in order, with their bits reversed. The table for codes of n bits, written twice, is the table for n + 1
  // bits.
  const bits = min(most, longest);
  let next = sorted;
  let code: u32 = 0;
  for (let length: u32 = 1; length <= bits; length++) {
    if (length > 1) double(table, <usize>1 << (length - 1));
    const mask = ((<u32>1) << length) - 1;
    for (let n = load<u32>(counts + (<usize>length << 2)); n > 0; n--) {
      store<u32>(table + (<usize>code << 2), load<u32>(symbols + (<usize>load<u16>(next) << 2)) + length * 0x101);
      next += 2;
      code = increment(code, mask);
    }
  }

  const bitsMask = ((<u32>1) << bits) - 1;
  let prefix: u32 = ~0;
  let begin: u32 = 0;
  let end: u32 = (<u32>1) << bits;
  let subBits: u32 = 0;
  for (let length = bits + 1; length <= longest; length++) {
    const mask = ((<u32>1) << length) - 1;
    for (let n = load<u32>(counts + (<usize>length << 2)); n > 0; n--) {
      if ((code & bitsMask) != prefix) {
        prefix = code & bitsMask;
        begin = end;
        // The subtable gets as many bits as the codes with this prefix need: the remaining codes of this length, then
        // longer ones.
        subBits = length - bits;
        let space: i32 = (1 << subBits) - <i32>n;
        while (space > 0 && bits + subBits < longest) {
          subBits++;
          space = (space << 1) - <i32>load<u32>(counts + (<usize>(bits + subBits) << 2));
        }
        end = begin + ((<u32>1) << subBits);
        if (end > room) return -1;
        store<u32>(table + (<usize>prefix << 2), (begin << 16) | EXCEPTION | (subBits << 8) | bits);
      }
      const entry = load<u32>(symbols + (<usize>load<u16>(next) << 2)) + (length - bits) * 0x101;
      for (let at = begin + (code >> bits); at < end; at += (<u32>1) << (length - bits)) {
        store<u32>(table + (<usize>at << 2), entry);
      }
      next += 2;
      code = increment(code, mask);
    }
  }
  return bits;
}

/** Returns the code behind this one, both with their bits reversed. The last code stays. */
@inline
function increment(code: u32, mask: u32): u32 {
  if (code == mask) return code;
  const bit = (<u32>1) << (31 - clz<u32>(code ^ mask));
  return (code & (bit - 1)) | bit;
}

/** Repeats the first `count` entries. */
@inline
function double(table: usize, count: usize): void {
  const bytes = count << 2;
  if (count < 4) {
    for (let at: usize = 0; at < bytes; at += 4) store<u32>(table + bytes + at, load<u32>(table + at));
  } else {
    for (let at: usize = 0; at < bytes; at += 16) v128.store(table + bytes + at, v128.load(table + at));
  }
}

/**
 * Merges a whole match into one entry where the index bits hold its length and a short distance. This is common in
 * arrays of numbers of 4 bytes.
 */
export function merge(bits: u32, distanceBits: u32): void {
  const end: u32 = (<u32>1) << bits;
  const distanceMask: u32 = ((<u32>1) << distanceBits) - 1;
  for (let index: u32 = 0; index < end; index++) {
    const slot = litlenTable + (<usize>index << 2);
    const entry = load<u32>(slot);
    const first = entry & 63;
    if ((entry & (LITERAL | EXCEPTION)) != 0 || first >= bits) continue;
    const second = entryAt(distanceTable, <u64>(index >> first), distanceMask);
    const both = first + (second & 63);
    if ((second & EXCEPTION) != 0 || both > bits) continue;
    const distance = valueOf(second, <u64>(index >> first));
    if (distance >= 16) continue;
    store<u32>(slot, MERGED | (valueOf(entry, <u64>index) << 16) | (distance << 25) | both);
  }
}

@inline
export function low(buffer: u64, bits: u32): u32 {
  return <u32>buffer & (((<u32>1) << bits) - 1);
}

/** Returns the entry of a table for the next bits. */
@inline
export function entryAt(table: usize, buffer: u64, mask: u32): u32 {
  return load<u32>(table + (<usize>(<u32>buffer & mask) << 2));
}

/** Returns the base of a length or distance plus its extra bits behind the code. */
@inline
export function valueOf(entry: u32, before: u64): u32 {
  return (entry >>> 16) + ((<u32>before & (((<u32>1) << entry) - 1)) >>> ((entry >>> 8) & 15));
}

