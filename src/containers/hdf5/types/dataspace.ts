/** The shape of stored data. Source: HDF5 File Format Specification, IV.A.2.b. */

import { InvalidDataError } from "../../../model/errors.js";
import { Cursor, type FieldSizes } from "../bytes/cursor.js";

/** Maximum number of dimensions of data and of array types. libhdf5 has the same limit. */
export const MAX_RANK = 32;

const HAS_MAXIMUM = 0x01;

/**
 * Parses the shape in a dataspace message; null for a null dataspace.
 * @throws {InvalidDataError} if the message is truncated or has no legal rank or size.
 */
export function parseDataspace(body: Uint8Array, sizes: FieldSizes): number[] | null {
  const cursor = new Cursor(body, "dataspace");
  const version = cursor.u8();
  const rank = cursor.u8();
  cursor.skip(1);
  if (version < 1 || version > 2) throw new InvalidDataError(`dataspace has version ${version}; 1 and 2 exist`);
  if (rank > MAX_RANK) throw new InvalidDataError(`dataspace has ${rank} dimensions; at most ${MAX_RANK} are legal`);
  const kind = cursor.u8();
  if (version === 1) cursor.skip(4);
  else if (kind === 2) return null;
  const shape: number[] = [];
  let total = 1;
  for (let i = 0; i < rank; i++) {
    const size = cursor.uint(sizes.lengths);
    shape.push(size);
    total *= Math.max(1, size);
  }
  if (total > Number.MAX_SAFE_INTEGER) {
    throw new InvalidDataError(`shape ${shape.join(" x ")} has more than 2^53 elements`);
  }
  return shape;
}

/**
 * Parses the maximum size of each dimension: null if the dimension is unlimited, or its present size if the message
 * does not state a maximum. The message must have a shape that `parseDataspace` could read.
 * @throws {InvalidDataError} if a dimension is larger than its limit.
 */
export function parseMaximum(body: Uint8Array, shape: readonly number[], sizes: FieldSizes): (number | null)[] {
  const [version, , flags] = body;
  if (!(flags & HAS_MAXIMUM)) return [...shape];
  const cursor = new Cursor(body, "dataspace", (version === 1 ? 8 : 4) + shape.length * sizes.lengths);
  return shape.map((size) => {
    const limit = cursor.optional(sizes.lengths);
    if (limit !== null && limit < size) {
      throw new InvalidDataError(`dataspace has a dimension of ${size}, which may have at most ${limit}`);
    }
    return limit;
  });
}
