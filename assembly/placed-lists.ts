/** Moves the entries of lists to new positions: the twin of `placedLists`. */

/** Most positions, stored and new. */
const POSITIONS: i32 = 1 << 17;
/** Most entries at a time. */
const PART: i32 = 1 << 16;

const PLACES: usize = memory.data(4 * POSITIONS, 64);
const MINOR: usize = memory.data(4 * PART, 64);
const VALUES: usize = memory.data(8 * PART, 64);
const NEW_MINOR: usize = memory.data(4 * PART + 64, 64);
const NEW_VALUES: usize = memory.data(8 * PART + 64, 64);
/** A bit for each new position. All are 0 between two lists. */
const BITS: usize = memory.data(POSITIONS / 8, 64);
/** The value at each new position whose bit is set. */
const AT: usize = memory.data(8 * POSITIONS, 64);

/** The new position of each stored one, -1 where it is left out. */
export function places(): usize { return PLACES; }
/** The entries of the caller, and their values of 32 or 64 bits. */
export function minor(): usize { return MINOR; }
export function values(): usize { return VALUES; }
/** The entries at their new positions. */
export function newMinor(): usize { return NEW_MINOR; }
export function newValues(): usize { return NEW_VALUES; }

/** Moves the entries [start, end), in their order, to the entries from `to` on. Returns the end of these. */
export function keep4(start: u32, end: u32, to: u32): u32 { return keep<u32>(start, end, to); }
export function keep8(start: u32, end: u32, to: u32): u32 { return keep<u64>(start, end, to); }

/**
 * Moves the entries [start, end) of a list to the entries from `to` on, in the order of their new positions, which are below
 * `positions`. Returns the end of these; -1 where two entries have one position.
 */
export function sort4(start: u32, end: u32, to: u32, positions: u32): i32 { return sort<u32>(start, end, to, positions); }
export function sort8(start: u32, end: u32, to: u32, positions: u32): i32 { return sort<u64>(start, end, to, positions); }

function keep<V>(start: u32, end: u32, to: u32): u32 {
  let found = to;
  // Without a branch: the next entry takes the place of one that is left out.
  for (let i = start; i < end; i++) {
    const place = placeOf(i);
    store<i32>(NEW_MINOR + (<usize>found << 2), place);
    store<V>(NEW_VALUES + <usize>found * sizeof<V>(), load<V>(VALUES + <usize>i * sizeof<V>()));
    found += place >= 0 ? 1 : 0;
  }
  return found;
}

function sort<V>(start: u32, end: u32, to: u32, positions: u32): i32 {
  let twice: u64 = 0;
  for (let i = start; i < end; i++) {
    const place = placeOf(i);
    if (place < 0) continue;
    const word = BITS + ((<usize>place >> 6) << 3);
    const bits = load<u64>(word);
    const bit = <u64>1 << (<u64>place & 63);
    twice |= bits & bit;
    store<u64>(word, bits | bit);
    store<V>(AT + <usize>place * sizeof<V>(), load<V>(VALUES + <usize>i * sizeof<V>()));
  }
  const bitsEnd = BITS + (((<usize>positions + 63) >> 6) << 3);
  if (twice != 0) {
    memory.fill(BITS, 0, bitsEnd - BITS);
    return -1;
  }
  let found = to;
  let first: u32 = 0;
  for (let word = BITS; word < bitsEnd; word += 8, first += 64) {
    let left = load<u64>(word);
    if (left == 0) continue;
    store<u64>(word, 0);
    do {
      const place = first + <u32>ctz(left);
      store<u32>(NEW_MINOR + (<usize>found << 2), place);
      store<V>(NEW_VALUES + <usize>found * sizeof<V>(), load<V>(AT + <usize>place * sizeof<V>()));
      found++;
      left &= left - 1;
    } while (left != 0);
  }
  return found;
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function placeOf(entry: u32): i32 {
  return load<i32>(PLACES + (<usize>load<u32>(MINOR + (<usize>entry << 2)) << 2));
}
