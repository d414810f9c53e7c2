/**
 * The order in which BPCells merges fragments (`c()` in R, fragmentIterators/MergeFragments.cpp): it takes chunks of the
 * input whose next start is least, sorts them by start, and gives what lies before the next start of every input. Equal
 * starts keep the order in which their chunks were taken, so the sizes of chunks and rounds are part of the result.
 */

/** Fragments in one chunk of an input. */
export const MERGE_CHUNK = 32;

/** Least number of fragments that a round takes, where the inputs have them. */
const ROUND = 1024;

/** Most inputs: places of a round's fragments stand behind their starts in doubles. */
export const MOST_MERGED = 20_000;

/** Multiplies starts: places are less. */
const PLACES = 2 ** 21;

/** Number of chunks that a round takes of `inputs` inputs. */
export function chunksOfRound(inputs: number): number {
  return inputs * (1 + Math.ceil(ROUND / (MERGE_CHUNK * inputs)));
}

/** The fragments of a round: the ones that an earlier round left over, and new chunks behind them. */
export class MergeRound {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly cells: Uint32Array;
  readonly #keys: Float64Array;
  readonly #ends: Uint32Array;
  readonly #cells: Uint32Array;
  /** Number of fragments. */
  count = 0;

  constructor(inputs: number) {
    // A chunk of each input can be left over.
    const room = (chunksOfRound(inputs) + inputs) * MERGE_CHUNK;
    this.starts = new Uint32Array(room);
    this.ends = new Uint32Array(room);
    this.cells = new Uint32Array(room);
    this.#ends = new Uint32Array(room);
    this.#cells = new Uint32Array(room);
    this.#keys = new Float64Array(room);
  }

  /** Sorts the fragments by start; equal starts keep their order. */
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

  /** Number of sorted fragments that start at `last` or before. */
  upTo(last: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle] <= last) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Drops the first `given` fragments; the others are left over. */
  drop(given: number): void {
    for (const values of [this.starts, this.ends, this.cells]) values.copyWithin(0, given, this.count);
    this.count -= given;
  }
}

/** Inputs by their next starts, the least first; of equal starts, the first input. */
export class StartHeap {
  readonly #inputs: Int32Array;
  readonly #starts: Float64Array;

  /** @param starts the next start of each input, `Infinity` where it has no more. */
  constructor(starts: Float64Array) {
    this.#starts = starts;
    this.#inputs = Int32Array.from(starts.keys());
    for (let i = (starts.length >>> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  /** The input with the least next start. */
  get first(): number {
    return this.#inputs[0];
  }

  /** Puts the first input where its new start belongs. */
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
