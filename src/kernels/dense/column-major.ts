/** MATLAB's order of elements: the first dimension varies fastest. */

import { countElements } from "../../model/stored.js";

/** Converts an index in row-major order to an index in column-major order. */
export function toColumnMajorIndex(index: number, size: readonly number[]): number {
  let place = 0;
  let rest = index;
  let step = countElements(size);
  for (let d = size.length - 1; d >= 0; d--) {
    step /= size[d];
    place += (rest % size[d]) * step;
    rest = Math.floor(rest / size[d]);
  }
  return place;
}
