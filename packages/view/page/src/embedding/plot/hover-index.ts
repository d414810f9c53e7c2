/** Finds the point under the pointer with a grid over the square, whose cells list their points. */

import { inSlices } from "../../data/slices.js";
import { type Frame, toSquare } from "../layer/camera.js";

export class HoverIndex {
  readonly #xs: ArrayLike<number>;
  readonly #ys: ArrayLike<number>;
  readonly #frame: Frame;
  readonly #side: number;
  readonly #starts: Uint32Array;
  readonly #points: Uint32Array;

  private constructor(xs: ArrayLike<number>, ys: ArrayLike<number>, frame: Frame, side: number) {
    this.#xs = xs;
    this.#ys = ys;
    this.#frame = frame;
    this.#side = side;
    this.#starts = new Uint32Array(side * side + 1);
    this.#points = new Uint32Array(xs.length);
  }

  /** Sorts the points into the grid, in slices. */
  static async build(
    xs: ArrayLike<number>,
    ys: ArrayLike<number>,
    frame: Frame,
    signal?: AbortSignal,
  ): Promise<HoverIndex> {
    const side = Math.min(Math.max(Math.ceil(Math.sqrt(xs.length / 4)), 1), 1024);
    const index = new HoverIndex(xs, ys, frame, side);
    const starts = index.#starts;
    const count = (from: number, to: number): void => {
      for (let at = from; at < to; at++) {
        const cell = index.#cellOf(at);
        if (cell !== -1) starts[cell] = (starts[cell] as number) + 1;
      }
    };
    await inSlices(xs.length, count, { signal });
    let total = 0;
    for (let cell = 0; cell <= side * side; cell++) {
      total += starts[cell] as number;
      starts[cell] = total;
    }
    // Each cell is filled from its end, so that its end index becomes its start index.
    const fill = (from: number, to: number): void => {
      for (let at = from; at < to; at++) {
        const cell = index.#cellOf(at);
        if (cell === -1) continue;
        const place = (starts[cell] as number) - 1;
        starts[cell] = place;
        index.#points[place] = at;
      }
    };
    await inSlices(xs.length, fill, { signal });
    return index;
  }

  /** Returns the nearest point within a distance of a position in the square; null if there is none. */
  nearest(x: number, y: number, within: number, isShown: (point: number) => boolean = () => true): number | null {
    const [left, right] = [this.#cell(x - within), this.#cell(x + within)];
    const [low, high] = [this.#cell(y - within), this.#cell(y + within)];
    let [found, distance]: [number | null, number] = [null, within * within];
    for (let row = low; row <= high; row++) {
      const first = this.#starts[row * this.#side + left] as number;
      const last = this.#starts[row * this.#side + right + 1] as number;
      for (let at = first; at < last; at++) {
        const point = this.#points[at] as number;
        const dx = toSquare(this.#frame, 0, this.#xs[point] as number) - x;
        const dy = toSquare(this.#frame, 1, this.#ys[point] as number) - y;
        const away = dx * dx + dy * dy;
        if (away < distance && isShown(point)) [found, distance] = [point, away];
      }
    }
    return found;
  }

  #cell(place: number): number {
    return Math.min(Math.max(Math.floor(((place + 1) / 2) * this.#side), 0), this.#side - 1);
  }

  #cellOf(point: number): number {
    const x = toSquare(this.#frame, 0, this.#xs[point] as number);
    const y = toSquare(this.#frame, 1, this.#ys[point] as number);
    if (!Number.isFinite(x) || !Number.isFinite(y)) return -1;
    return this.#cell(y) * this.#side + this.#cell(x);
  }
}
