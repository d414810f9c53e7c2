/**
 * Transposes lists of entries in two steps. Each step is a stable counting sort that stays within the processor's
 * caches. First, the entries in a block of lists are sorted into bands of minor positions. Then, the entries in a band
 * are sorted by minor position.
 *
 * Between the steps, an entry has a 32-bit key. The high bits are its minor position within the band, and the low bits
 * are the number of its list within the block.
 */

import type { EntryWords } from "./scatter.js";

/** Ranges of minor positions, each 2^shift wide. The last may be narrower. */
export interface EntryRanges {
  readonly shift: number;
  readonly count: number;
}

/** The entries of adjacent lists, grouped by band. Within a band they are in list order. */
export interface EntriesByRange {
  /** Number of the first list in the table. */
  readonly first: number;
  readonly lists: number;
  /** Whether the minor positions never decrease within a list. */
  readonly rises: boolean;
  /** The start of each band among the entries, and the end of the last band. */
  readonly starts: Uint32Array;
  readonly keys: Int32Array;
  readonly values: readonly EntryWords[];
}

/** Maximum number of bands. Alternating writes to this many positions are still fast. */
const MAX_BANDS = 2 ** 11;

/** Returns the bands of the minor positions [0, size), where `size` is at most 2^31. */
export function createEntryRanges(size: number): EntryRanges {
  let shift = 0;
  while (Math.ceil(size / 2 ** shift) > MAX_BANDS) shift++;
  return { shift, count: Math.ceil(size / 2 ** shift) };
}

/** Returns the number of key bits that store the list index. */
function listBits({ shift }: EntryRanges): number {
  return Math.min(31, 32 - shift);
}

export function getMaxListCount(bands: EntryRanges): number {
  return 2 ** listBits(bands);
}

/**
 * Computes the key of every entry, and the entry's position among the entries of all bands.
 * @param offsets the start of the first list, followed by the end of each list.
 * @param next the position of the next entry in each band; it is advanced.
 */
export function scatterByKey(
  offsets: Int32Array,
  minor: Int32Array,
  bands: EntryRanges,
  next: Uint32Array,
  places: Uint32Array,
  keys: Int32Array,
): void {
  const { shift } = bands;
  const bits = listBits(bands);
  const mask = (1 << shift) - 1;
  const [base] = offsets;
  for (let list = 0; list + 1 < offsets.length; list++) {
    const end = offsets[list + 1] - base;
    for (let i = offsets[list] - base; i < end; i++) {
      const position = minor[i];
      const place = next[position >>> shift]++;
      places[i] = place;
      keys[place] = ((position & mask) << bits) | list;
    }
  }
}

/** Adds to `counts[m]` the number of keys [start, end) whose minor position within the band is m. */
export function countKeys(keys: Int32Array, start: number, end: number, bands: EntryRanges, counts: Uint32Array): void {
  const bits = listBits(bands);
  for (let i = start; i < end; i++) counts[keys[i] >>> bits]++;
}

/**
 * Computes the positions of the keys [start, end) among the entries of their band, and writes each key's list number to
 * the key's position.
 * @param first number of the block's first list.
 * @param next the position of the next entry for each minor position; it is advanced.
 * @param places receives the position of the key `start + i` at index i.
 */
export function scatterKeys(
  keys: Int32Array,
  start: number,
  end: number,
  bands: EntryRanges,
  first: number,
  next: Uint32Array,
  places: Uint32Array,
  lists: Int32Array,
): void {
  const bits = listBits(bands);
  // `2 ** bits` is not used, because the compiler would move this function call into the loop.
  const mask = -1 >>> (32 - bits);
  for (let i = start; i < end; i++) {
    const key = keys[i];
    const place = next[key >>> bits]++;
    places[i - start] = place;
    lists[place] = first + (key & mask);
  }
}

/**
 * Returns the indices, relative to `start`, of the keys [start, end) whose minor position in the band is in [from, to).
 */
export function selectKeysInRange(
  keys: Int32Array,
  start: number,
  end: number,
  bands: EntryRanges,
  [from, to]: readonly [from: number, to: number],
): Uint32Array {
  const bits = listBits(bands);
  const found = new Uint32Array(end - start);
  let count = 0;
  for (let i = start; i < end; i++) {
    const position = keys[i] >>> bits;
    if (position >= from && position < to) found[count++] = i - start;
  }
  return found.subarray(0, count);
}
