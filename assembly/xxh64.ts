/**
 * XXH64, zstd's checksum (doc/xxhash_spec.md of xxHash, seed 0), over bytes in this module's memory from `start()` on.
 */

const P1: u64 = 0x9e3779b185ebca87;
const P2: u64 = 0xc2b2ae3d27d4eb4f;
const P3: u64 = 0x165667b19e3779f9;
const P4: u64 = 0x85ebca77c2b2ae63;
const P5: u64 = 0x27d4eb2f165667c5;

/** The state after the stripes of 32 bytes so far. */
let a: u64 = 0;
let b: u64 = 0;
let c: u64 = 0;
let d: u64 = 0;
let total: u64 = 0;

export function start(): usize {
  return (__heap_base + 63) & ~(<usize>63);
}

function round(sum: u64, lane: u64): u64 {
  return rotl<u64>(sum + lane * P2, 31) * P1;
}

function merge(hash: u64, sum: u64): u64 {
  return (hash ^ round(0, sum)) * P1 + P4;
}

export function reset(): void {
  a = P1 + P2;
  b = P2;
  c = 0;
  d = 0 - P1;
  total = 0;
}

/** Takes the next bytes. Their number must be a multiple of 32, except at the last call. */
export function update(at: usize, size: usize): void {
  total += size;
  const end = at + (size & ~(<usize>31));
  let w = a;
  let x = b;
  let y = c;
  let z = d;
  for (; at < end; at += 32) {
    w = round(w, load<u64>(at));
    x = round(x, load<u64>(at, 8));
    y = round(y, load<u64>(at, 16));
    z = round(z, load<u64>(at, 24));
  }
  a = w;
  b = x;
  c = y;
  d = z;
}

/**
 * Returns the lower half of the hash. The `size` bytes at `at`, fewer than 32, are the rest that `update` left over.
 */
export function digest(at: usize, size: usize): u32 {
  let hash: u64;
  if (total >= 32) {
    hash = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18);
    hash = merge(merge(merge(merge(hash, a), b), c), d);
  } else {
    hash = P5;
  }
  hash += total;
  const end = at + size;
  for (; at + 8 <= end; at += 8) hash = rotl<u64>(hash ^ round(0, load<u64>(at)), 27) * P1 + P4;
  if (at + 4 <= end) {
    hash = rotl<u64>(hash ^ (<u64>load<u32>(at) * P1), 23) * P2 + P3;
    at += 4;
  }
  for (; at < end; at++) hash = rotl<u64>(hash ^ (<u64>load<u8>(at) * P5), 11) * P1;
  hash = (hash ^ (hash >> 33)) * P2;
  hash = (hash ^ (hash >> 29)) * P3;
  return <u32>(hash ^ (hash >> 32));
}
