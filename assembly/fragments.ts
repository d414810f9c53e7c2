/** Checks and changes of fragments before they are packed, up to 2^16 fragments at a time. */

const CHR: usize = memory.data(4 * (1 << 16) + 64, 64);
const START: usize = memory.data(4 * (1 << 16) + 64, 64);
const END: usize = memory.data(4 * (1 << 16) + 64, 64);

const LENGTHS: usize = memory.data(4 * (1 << 16) + 64, 64);

/**
 * The places for chromosomes, starts and ends, from the second place of each array on. The first place has the values
 * of the previous row.
 */
export function chromosomes(): usize { return CHR; }
export function starts(): usize { return START; }
export function ends(): usize { return END; }
/** The place to which `measure` writes lengths, from the first place on. */
export function lengths(): usize { return LENGTHS; }

/**
 * Checks `count` rows. The result has bit 1 where a chromosome differs from the previous one, 2 where a start is below
 * the previous start of its chromosome, 4 where an end is below its start.
 */
export function look(count: u32): u32 {
  let changes = i32x4.splat(0);
  let descents = i32x4.splat(0);
  let backwards = i32x4.splat(0);
  const stop = <usize>count << 2;
  let at: usize = 0;
  for (; at + 16 <= stop; at += 16) {
    const start = v128.load(START + at, 4);
    const other = i32x4.ne(v128.load(CHR + at), v128.load(CHR + at, 4));
    changes = v128.or(changes, other);
    descents = v128.or(descents, v128.andnot(i32x4.lt_u(start, v128.load(START + at)), other));
    backwards = v128.or(backwards, i32x4.lt_u(v128.load(END + at, 4), start));
  }
  let found: u32 = u32(v128.any_true(changes)) | (u32(v128.any_true(descents)) << 1) | (u32(v128.any_true(backwards)) << 2);
  for (; at < stop; at += 4) {
    const start = load<u32>(START + at, 4);
    const other = load<u32>(CHR + at) != load<u32>(CHR + at, 4);
    if (other) found |= 1;
    else if (start < load<u32>(START + at)) found |= 2;
    if (load<u32>(END + at, 4) < start) found |= 4;
  }
  return found;
}

/** Computes the ends of `count` rows less their starts, modulo 2^32. */
export function measure(count: u32): void {
  const stop = <usize>count << 2;
  // Lengths behind the last row have arbitrary values.
  for (let at: usize = 0; at < stop; at += 16) {
    v128.store(LENGTHS + at, i32x4.sub(v128.load(END + at, 4), v128.load(START + at, 4)));
  }
}

/** Returns the greatest end of the rows [from, to), or 0 for an empty range. */
export function greatest(from: u32, to: u32): u32 {
  let top = i32x4.splat(0);
  let at = END + (<usize>from << 2) + 4;
  const stop = END + (<usize>to << 2) + 4;
  for (; at + 16 <= stop; at += 16) top = i32x4.max_u(top, v128.load(at));
  top = i32x4.max_u(top, v128.shuffle<i32>(top, top, 2, 3, 0, 1));
  top = i32x4.max_u(top, v128.shuffle<i32>(top, top, 1, 0, 3, 2));
  let found: u32 = i32x4.extract_lane(top, 0);
  for (; at < stop; at += 4) {
    const end = load<u32>(at);
    if (end > found) found = end;
  }
  return found;
}
