/**
 * The order in which BPCells merges fragments (`c()` in R, fragmentIterators/MergeFragments.cpp). BPCells reads chunks
 * of the input with the smallest next start, sorts them by start, and outputs the fragments before the next start of
 * every input. Fragments with equal starts stay in the order in which their chunks were read, so the sizes of chunks
 * and rounds affect the result.
 */

/** Number of fragments per chunk of an input. */
export const MERGE_CHUNK = 32;

/** Minimum number of fragments per round, if the inputs have enough. */
const ROUND = 1024;

/**
 * Maximum number of inputs per merge. A sort key is one double, `start * PLACES + position`; with more inputs, keys
 * would exceed 2^53.
 */
export const MAX_MERGED = 20_000;

/** Multiplier of the start in a sort key. Positions are smaller. */
const PLACES = 2 ** 21;

/** Returns the number of chunks that a round reads from `inputs` inputs. */
export function countRoundChunks(inputs: number): number {
  return inputs * (1 + Math.ceil(ROUND / (MERGE_CHUNK * inputs)));
}

/** The fragments of a round: fragments left over from the previous round, followed by new chunks. */
export class MergeRound {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly cells: Uint32Array;
  readonly #keys: Float64Array;
  readonly #ends: Uint32Array;
  readonly #cells: Uint32Array;
  count = 0;

  constructor(inputs: number) {
    // One chunk of each input can be left over.
    const room = (countRoundChunks(inputs) + inputs) * MERGE_CHUNK;
    this.starts = new Uint32Array(room);
    this.ends = new Uint32Array(room);
    this.cells = new Uint32Array(room);
    this.#ends = new Uint32Array(room);
    this.#cells = new Uint32Array(room);
    this.#keys = new Float64Array(room);
  }

  /** Sorts the fragments by start. Fragments with equal starts stay in order. */
  sort(): void {
    const { count, starts, ends, cells } = this;
    const keys = this.#keys.subarray(0, count);
    for (let i = 0; i < count; i++) keys[i] = starts[i] * PLACES + i;
    keys.sort();
    this.#ends.set(ends.subarray(0, count));
    this.#cells.set(cells.subarray(0, count));
    for (let i = 0; i < count; i++) {
      const start = Math.floor(keys[i] / PLACES);
      const place = keys[i] - start * PLACES;
      starts[i] = start;
      ends[i] = this.#ends[place];
      cells[i] = this.#cells[place];
    }
  }

  /** Returns the number of sorted fragments that start at `last` or before. */
  upTo(last: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle] <= last) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Removes the first `given` fragments and retains the rest for the next round. */
  drop(given: number): void {
    for (const values of [this.starts, this.ends, this.cells]) values.copyWithin(0, given, this.count);
    this.count -= given;
  }
}

/** A heap of inputs by next start, lowest first. Inputs with equal starts are in input order. */
export class StartHeap {
  readonly #inputs: Int32Array;
  readonly #starts: Float64Array;

  /** @param starts the next start of each input, `Infinity` if it has no more fragments. */
  constructor(starts: Float64Array) {
    this.#starts = starts;
    this.#inputs = Int32Array.from(starts.keys());
    for (let i = (starts.length >>> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  /** The input with the lowest next start. */
  get first(): number {
    return this.#inputs[0];
  }

  /** Restores the heap order after the first input's start has changed. */
  moved(): void {
    this.#sink(0);
  }

  #sink(from: number): void {
    const inputs = this.#inputs;
    for (let at = from; ; ) {
      let least = at;
      for (let child = 2 * at + 1; child <= 2 * at + 2 && child < inputs.length; child++) {
        if (this.#precedes(inputs[child], inputs[least])) least = child;
      }
      if (least === at) return;
      [inputs[at], inputs[least]] = [inputs[least], inputs[at]];
      at = least;
    }
  }

  #precedes(a: number, b: number): boolean {
    return this.#starts[a] < this.#starts[b] || (this.#starts[a] === this.#starts[b] && a < b);
  }
}
