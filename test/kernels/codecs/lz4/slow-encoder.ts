/** LZ4 blocks, as the kernel is compared with. Source: lz4_Block_format.md of LZ4. */

/**
 * A match has at least 4 bytes. No match begins in the last 12 bytes of a block, and the last 5 are always literals.
 */
const MIN_MATCH = 4;
const LIMIT = 12;
const LAST_LITERALS = 5;
const FARTHEST = 65535;
const TABLE_BITS = 13;

/**
 * Encodes one block. The search is greedy, with one candidate for each four bytes. `encode` of assembly/lz4.ts writes
 * identical bytes.
 */
export function encodeSlowLz4(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length + Math.floor(bytes.length / 255) + 16);
  const table = new Int32Array(1 << TABLE_BITS);
  const last = bytes.length - LIMIT;
  let to = 0;
  let literals = 0;
  let misses = 64;
  for (let at = 1; at <= last; ) {
    const word = load32(bytes, at);
    const slot = slotOf(word);
    let candidate = table[slot];
    table[slot] = at;
    if (at - candidate > FARTHEST || load32(bytes, candidate) !== word) {
      // Steps grow as long as no match is found.
      at += misses++ >> 6;
      continue;
    }
    misses = 64;
    const end = at + MIN_MATCH + matched(bytes, at + MIN_MATCH, candidate + MIN_MATCH);
    while (at > literals && candidate > 0 && bytes[at - 1] === bytes[candidate - 1]) {
      at--;
      candidate--;
    }
    const more = end - at - MIN_MATCH;
    to = writeLiterals(out, to, bytes.subarray(literals, at), more);
    out[to++] = at - candidate;
    out[to++] = (at - candidate) >> 8;
    if (more >= 15) to = writeRest(out, to, more - 15);
    at = end;
    literals = end;
    if (at <= last) table[slotOf(load32(bytes, at - 2))] = at - 2;
  }
  return out.subarray(0, writeLiterals(out, to, bytes.subarray(literals), 0));
}

function slotOf(word: number): number {
  return Math.imul(word, 0x9e3779b1) >>> (32 - TABLE_BITS);
}

/** Returns the length of the match between `a` and `b`, which ends before the last literals. */
function matched(bytes: Uint8Array, a: number, b: number): number {
  const end = bytes.length - LAST_LITERALS - a;
  let count = 0;
  while (count < end && bytes[a + count] === bytes[b + count]) count++;
  return count;
}

/**
 * Writes a token and its literals. The match of the token is `more` bytes longer than the shortest match. Returns the
 * position after the literals.
 */
function writeLiterals(out: Uint8Array, start: number, literals: Uint8Array, more: number): number {
  const count = literals.length;
  let to = start;
  out[to++] = (Math.min(count, 15) << 4) | Math.min(more, 15);
  if (count >= 15) to = writeRest(out, to, count - 15);
  out.set(literals, to);
  return to + count;
}

/** Writes the part of a length that does not fit into four bits. Returns the position after it. */
function writeRest(out: Uint8Array, start: number, rest: number): number {
  let to = start;
  let left = rest;
  for (; left >= 255; left -= 255) out[to++] = 255;
  out[to++] = left;
  return to;
}

function load32(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}
