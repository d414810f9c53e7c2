/** Computes the stable order of a few thousand pairs of keys, few enough to stay in the CPU cache. */

/** Maximum number of entries for insertion sort. */
const FEW = 24;

/**
 * Number of entries above which 11-bit digits are used. Larger digits save passes, which outweighs the additional
 * counters.
 */
const MANY = 8192;

/** Memory for sorting up to `length` entries. */
export class OrderScratch {
  readonly length: number;
  readonly orders: readonly [Uint32Array, Uint32Array];
  readonly counts: Uint32Array = new Uint32Array(2 ** 11);

  /** @param given memory for one of the two orders, if the caller has such memory. */
  constructor(length: number, given?: Uint32Array) {
    this.length = length;
    this.orders = [given ?? new Uint32Array(length), new Uint32Array(length)];
  }
}

/**
 * Computes the order of the entries [start, end) by major key, then by minor key. Entries with equal keys stay in
 * order. The result contains indices relative to `start`, in the scratch's memory; it is null if the entries are
 * already in order.
 */
export function computeStableOrder(
  major: Int32Array,
  minor: Int32Array,
  start: number,
  end: number,
  scratch: OrderScratch,
): Uint32Array | null {
  if (isSorted(major, minor, start, end)) return null;
  const count = end - start;
  if (count <= FEW) return insertionOrder(major, minor, start, count, scratch.orders[0].subarray(0, count));
  const sorter = new RadixPasses(start, count, scratch);
  // The least significant key is sorted first.
  sorter.sortBy(minor);
  sorter.sortBy(major);
  return sorter.order ?? identity(scratch.orders[0].subarray(0, count));
}

function isSorted(major: Int32Array, minor: Int32Array, start: number, end: number): boolean {
  for (let i = start + 1; i < end; i++) {
    const step = major[i] - major[i - 1];
    if (step < 0 || (step === 0 && minor[i] < minor[i - 1])) return false;
  }
  return true;
}

function identity(order: Uint32Array): Uint32Array {
  for (let i = 0; i < order.length; i++) order[i] = i;
  return order;
}

function insertionOrder(
  major: Int32Array,
  minor: Int32Array,
  start: number,
  count: number,
  order: Uint32Array,
): Uint32Array {
  for (let i = 0; i < count; i++) {
    const ownMajor = major[start + i];
    const ownMinor = minor[start + i];
    let at = i;
    for (; at > 0; at--) {
      const before = start + order[at - 1];
      if (major[before] < ownMajor || (major[before] === ownMajor && minor[before] <= ownMinor)) break;
      order[at] = order[at - 1];
    }
    order[at] = i;
  }
  return order;
}

/** Passes of a radix sort over the digits that actually occur in the keys. */
class RadixPasses {
  readonly #start: number;
  readonly #count: number;
  readonly #scratch: OrderScratch;
  readonly #digit: number;
  #turn = 0;
  order: Uint32Array | null = null;

  constructor(start: number, count: number, scratch: OrderScratch) {
    this.#start = start;
    this.#count = count;
    this.#scratch = scratch;
    this.#digit = count > MANY ? 11 : 8;
  }

  sortBy(keys: Int32Array): void {
    const { least, most, ascending } = this.#look(keys);
    // Keys in ascending order need no pass, as long as no earlier pass has moved entries.
    if (least === most || (ascending && this.order === null)) return;
    const bits = 32 - Math.clz32(most - least);
    const passes = Math.ceil(bits / this.#digit);
    const digit = Math.ceil(bits / passes);
    for (let shift = 0; shift < bits; shift += digit) this.#pass(keys, least, shift, digit);
  }

  #look(keys: Int32Array): { least: number; most: number; ascending: boolean } {
    const end = this.#start + this.#count;
    let least = keys[this.#start];
    let most = least;
    let ascending = true;
    for (let i = this.#start + 1; i < end; i++) {
      const key = keys[i];
      if (key < least) least = key;
      if (key > most) most = key;
      if (key < keys[i - 1]) ascending = false;
    }
    return { least, most, ascending };
  }

  #pass(keys: Int32Array, least: number, shift: number, digit: number): void {
    const size = 2 ** digit;
    const counts = this.#scratch.counts.subarray(0, size);
    countDigits(keys, this.#start, this.#count, least, shift, size - 1, counts);
    const target = this.#scratch.orders[this.#turn].subarray(0, this.#count);
    if (this.order === null) placeFirst(keys, this.#start, least, shift, size - 1, counts, target);
    else placeNext(keys, this.#start, least, shift, size - 1, counts, this.order, target);
    this.order = target;
    this.#turn = 1 - this.#turn;
  }
}

/** Computes the index of the first entry of every digit. */
function countDigits(
  keys: Int32Array,
  start: number,
  count: number,
  least: number,
  shift: number,
  mask: number,
  counts: Uint32Array,
): void {
  counts.fill(0);
  for (let i = start; i < start + count; i++) counts[((keys[i] - least) >>> shift) & mask]++;
  let sum = 0;
  for (let d = 0; d < counts.length; d++) {
    const own = counts[d];
    counts[d] = sum;
    sum += own;
  }
}

function placeFirst(
  keys: Int32Array,
  start: number,
  least: number,
  shift: number,
  mask: number,
  next: Uint32Array,
  target: Uint32Array,
): void {
  for (let i = 0; i < target.length; i++) target[next[((keys[start + i] - least) >>> shift) & mask]++] = i;
}

function placeNext(
  keys: Int32Array,
  start: number,
  least: number,
  shift: number,
  mask: number,
  next: Uint32Array,
  order: Uint32Array,
  target: Uint32Array,
): void {
  for (let i = 0; i < order.length; i++) {
    const one = order[i];
    target[next[((keys[start + one] - least) >>> shift) & mask]++] = one;
  }
}
