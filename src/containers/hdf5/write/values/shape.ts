/** Shapes that HDF5 can hold. */

import { InvalidInputError, UnsupportedError } from "../../../../model/errors.js";
import type { ArrayDescription } from "../../../tree/container-writer.js";

/** null: a null dataspace; `[]`: a scalar; rows of null: not known yet. */
export type Shape = ArrayDescription["shape"];

export type RowShape = readonly [rows: number | null, ...rest: number[]];

export function hasRows(shape: Shape): shape is RowShape {
  return shape !== null && shape.length > 0;
}

const MOST_DIMENSIONS = 32;

/**
 * @throws {UnsupportedError} for more dimensions than the format has.
 * @throws {InvalidInputError} for a size that is none, or more than 2^53 elements.
 */
export function checkShape(shape: readonly number[]): void {
  if (shape.length > MOST_DIMENSIONS) {
    throw new UnsupportedError(`${shape.length} dimensions; HDF5 has at most ${MOST_DIMENSIONS}`);
  }
  let elements = 1;
  for (const size of shape) {
    if (!Number.isSafeInteger(size) || size < 0) throw new InvalidInputError(`a dimension of ${size}`);
    elements *= Math.max(1, size);
  }
  if (elements > Number.MAX_SAFE_INTEGER) {
    throw new InvalidInputError(`shape ${shape.join(" x ")} has more than 2^53 elements`);
  }
}
