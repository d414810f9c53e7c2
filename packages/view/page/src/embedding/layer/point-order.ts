/**
 * The order in which points are drawn. Files often sort cells (by sample, by type), so in file order one group would
 * hide another, and a prefix would not be a random sample. This order steps through the points by a fixed stride near
 * the golden ratio of their number: each prefix is spread evenly over the file, and no list of positions is stored.
 */
export class PointOrder {
  readonly count: number;
  readonly #stride: number;

  constructor(count: number) {
    this.count = count;
    let stride = Math.max(1, Math.round(count * 0.618_033_988_749_895));
    while (greatestDivisor(stride, count) !== 1) stride += 1;
    this.#stride = count === 0 ? 0 : stride % count;
  }

  /** Returns the file position of a point in drawing order. */
  position(at: number): number {
    // Below 2^53 for up to 9 · 10^7 points.
    return this.count === 0 ? 0 : (at * this.#stride) % this.count;
  }

  /** Calls `each` for the points [from, to) in drawing order, with their file positions. */
  forEach(from: number, to: number, each: (position: number, at: number) => void): void {
    const { count } = this;
    const stride = this.#stride;
    let position = this.position(from);
    for (let at = from; at < to; at++) {
      each(position, at);
      position += stride;
      if (position >= count) position -= count;
    }
  }

  /** Copies `values` from file order to drawing order, for points `from` to `to`. */
  copy(values: ArrayLike<number>, into: { [at: number]: number }, from: number, to: number): void {
    const { count } = this;
    const stride = this.#stride;
    let position = this.position(from);
    for (let at = 0; at < to - from; at++) {
      into[at] = values[position] as number;
      position += stride;
      if (position >= count) position -= count;
    }
  }
}

function greatestDivisor(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
