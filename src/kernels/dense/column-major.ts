/** MATLAB's order of elements, in which the first dimension changes fastest. */

import { product } from "../../model/stored.js";

/** Converts a place in row-major order to the place in column-major order. */
export function columnMajor(index: number, size: readonly number[]): number {
  let place = 0;
  let rest = index;
  let step = product(size);
  for (let d = size.length - 1; d >= 0; d--) {
    step /= size[d];
    place += (rest % size[d]) * step;
    rest = Math.floor(rest / size[d]);
  }
  return place;
}
