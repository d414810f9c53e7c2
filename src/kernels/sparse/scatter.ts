/**
 * Stable distribution of entries over bands of a key. These are the first two kernels of a counting sort over several
 * arrays.
 */

/** An array that contains one part of each entry. The array's type depends on the width of its words. */
export type EntryWords = Uint8Array | Uint16Array | Int32Array;

/** Adds to `counts[b]` the number of the first `length` keys that fall into band b = (key - first) >> shift. */
export function countKeyRanges(
  keys: Int32Array,
  length: number,
  first: number,
  shift: number,
  counts: Uint32Array,
): void {
  for (let i = 0; i < length; i++) counts[(keys[i] - first) >>> shift]++;
}

/**
 * Returns the start of each of `count` bands among the first `length` keys in band order, and the end of the last band.
 */
export function computeRangeStarts(
  keys: Int32Array,
  length: number,
  { first = 0, shift, count }: { readonly first?: number; readonly shift: number; readonly count: number },
): Uint32Array {
  const starts = new Uint32Array(count + 1);
  countKeyRanges(keys, length, first, shift, starts.subarray(1));
  for (let b = 0; b < count; b++) starts[b + 1] += starts[b];
  return starts;
}

/**
 * Computes the new position of every entry.
 * @param next the position of the next entry in each band; it is advanced.
 */
export function scatterByRange(
  keys: Int32Array,
  length: number,
  first: number,
  shift: number,
  next: Uint32Array,
  places: Uint32Array,
): void {
  for (let i = 0; i < length; i++) places[i] = next[(keys[i] - first) >>> shift]++;
}

/** Copies entry i of `source`, `step` words wide, to `places[i]` of `target`. */
export function scatterWords(
  source: EntryWords,
  places: Uint32Array,
  length: number,
  step: number,
  target: EntryWords,
): void {
  if (source instanceof Int32Array && target instanceof Int32Array) scatter32(source, places, length, step, target);
  else if (source instanceof Uint16Array && target instanceof Uint16Array) {
    scatter16(source, places, length, step, target);
  } else if (source instanceof Uint8Array && target instanceof Uint8Array) {
    scatter8(source, places, length, step, target);
  } else throw new TypeError("words of two widths");
}

/** Copies entry `first + order[i]` of `source`, `step` words wide, to entry `at + i` of `target`. */
export function gatherWords(
  source: EntryWords,
  first: number,
  order: Uint32Array,
  step: number,
  target: EntryWords,
  at: number,
): void {
  if (source instanceof Int32Array && target instanceof Int32Array) gather32(source, first, order, step, target, at);
  else if (source instanceof Uint16Array && target instanceof Uint16Array) {
    gather16(source, first, order, step, target, at);
  } else if (source instanceof Uint8Array && target instanceof Uint8Array) {
    gather8(source, first, order, step, target, at);
  } else throw new TypeError("words of two widths");
}

// Each type of array has its own function, so that each loop processes a single type.

function scatter32(source: Int32Array, places: Uint32Array, length: number, step: number, target: Int32Array): void {
  if (step === 1) {
    for (let i = 0; i < length; i++) target[places[i]] = source[i];
    return;
  }
  for (let i = 0, from = 0; i < length; i++) {
    const to = places[i] * step;
    for (let k = 0; k < step; k++) target[to + k] = source[from++];
  }
}

function scatter16(source: Uint16Array, places: Uint32Array, length: number, step: number, target: Uint16Array): void {
  for (let i = 0, from = 0; i < length; i++) {
    const to = places[i] * step;
    for (let k = 0; k < step; k++) target[to + k] = source[from++];
  }
}

function scatter8(source: Uint8Array, places: Uint32Array, length: number, step: number, target: Uint8Array): void {
  for (let i = 0, from = 0; i < length; i++) {
    const to = places[i] * step;
    for (let k = 0; k < step; k++) target[to + k] = source[from++];
  }
}

function gather32(
  source: Int32Array,
  first: number,
  order: Uint32Array,
  step: number,
  target: Int32Array,
  at: number,
): void {
  if (step === 1) {
    for (let i = 0; i < order.length; i++) target[at + i] = source[first + order[i]];
    return;
  }
  for (let i = 0, to = at * step; i < order.length; i++) {
    const from = (first + order[i]) * step;
    for (let k = 0; k < step; k++) target[to++] = source[from + k];
  }
}

function gather16(
  source: Uint16Array,
  first: number,
  order: Uint32Array,
  step: number,
  target: Uint16Array,
  at: number,
): void {
  for (let i = 0, to = at * step; i < order.length; i++) {
    const from = (first + order[i]) * step;
    for (let k = 0; k < step; k++) target[to++] = source[from + k];
  }
}

function gather8(
  source: Uint8Array,
  first: number,
  order: Uint32Array,
  step: number,
  target: Uint8Array,
  at: number,
): void {
  for (let i = 0, to = at * step; i < order.length; i++) {
    const from = (first + order[i]) * step;
    for (let k = 0; k < step; k++) target[to++] = source[from + k];
  }
}
