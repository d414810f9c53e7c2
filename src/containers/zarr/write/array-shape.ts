import { MAX_CHUNK_BYTES } from "../../../kernels/codecs/bounds/output-size.js";
import { InvalidInputError } from "../../../model/errors.js";
import { product } from "../../../model/stored.js";
import type { ArrayDescription } from "../../tree/container-writer.js";
import { chunkShape, textChunkRows } from "./chunk-shape.js";

/** The shape of an array that is not a scalar, and that of its chunks as far as it is decided beforehand. */
export interface ArrayShape {
  /** null where it is known when the array is closed. */
  readonly rows: number | null;
  readonly rest: readonly number[];
  readonly chunkRows: number;
  readonly chunkRest: readonly number[];
  /** Whether the first chunk may be made smaller. */
  readonly flexible: boolean;
}

/**
 * @param open Arrays that are open at the same time.
 * @param itemSize null where items vary in size: their chunks have whole rows.
 * @throws {InvalidInputError} where the chunks do not fit the shape, or are too large to be held in memory.
 * @throws {TypeError} for a dimension that is none.
 */
export function arrayShape(
  [rows, ...rest]: readonly [number | null, ...number[]],
  chunks: ArrayDescription["chunks"],
  itemSize: number | null,
  sharded: boolean,
  open: number,
): ArrayShape {
  for (const size of [rows ?? 0, ...rest]) {
    if (!Number.isSafeInteger(size) || size < 0) throw new TypeError(`a dimension of ${size}`);
  }
  const whole = rest.map((size) => Math.max(1, size));
  if (chunks !== undefined) {
    const given = givenChunks(chunks, [rows, ...rest], itemSize ?? 1);
    return {
      rows,
      rest,
      chunkRows: given[0],
      chunkRest: itemSize === null ? whole : given.slice(1),
      flexible: false,
    };
  }
  if (itemSize === null) {
    return { rows, rest, chunkRows: textChunkRows(rows, rest), chunkRest: whole, flexible: true };
  }
  const [chunkRows, ...chunkRest] = chunkShape(rows, rest, itemSize, sharded, open);
  return { rows, rest, chunkRows, chunkRest, flexible: true };
}

/** The chunks that are asked for, no larger than the array. */
function givenChunks(chunks: readonly number[], shape: readonly (number | null)[], itemSize: number): number[] {
  const problem = () =>
    `chunks [${chunks.join(", ")}] for an array of shape [${shape.map((n) => n ?? "?").join(", ")}]`;
  if (chunks.length !== shape.length || chunks.some((size) => !Number.isSafeInteger(size) || size < 1)) {
    throw new InvalidInputError(problem());
  }
  const clipped = chunks.map((size, axis) => Math.min(size, Math.max(1, shape[axis] ?? size)));
  const bytes = itemSize * product(clipped);
  if (bytes > MAX_CHUNK_BYTES)
    throw new InvalidInputError(`${problem()} take ${bytes} bytes, at most ${MAX_CHUNK_BYTES}`);
  return clipped;
}
