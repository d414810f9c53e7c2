/** How an array's data are laid out: in one piece, in its header, or in chunks. */

import { InvalidInputError, UnsupportedError } from "../../../../model/errors.js";
import type { ChunkEncoding } from "../../../tree/chunk-encoding.js";
import type { ArrayDescription } from "../../../tree/container-writer.js";
import { hasRows } from "../values/shape.js";
import { chunkShape, givenChunkShape } from "./chunk-shape.js";
import { ChunkedDataWriter } from "./chunked-data.js";
import { ColumnData } from "./column-data.js";
import { ContiguousData } from "./contiguous-data.js";
import { chunkEncoding, type FileState } from "./file-state.js";
import type { RowData } from "./row-data.js";

export interface DatasetStorage {
  readonly data: RowData;
  /** Empty for data that are not in chunks. */
  readonly encoding: ChunkEncoding;
  /** The dimensions without a limit. */
  readonly extendable: readonly number[];
}

const MOST_BLOCK_BYTES = 2 ** 20;
const LEAST_BLOCK_BYTES = 2 ** 16;

/** All arrays together collect as much before they write. */
const OPEN_BYTES = 2 ** 26;

/** Arrays that take less than the index of their chunks are not cut into chunks. */
const INDEX_BYTES = 2048;

/**
 * @throws {InvalidInputError} where chunks or growth are asked for that the shape has no dimension for.
 * @throws {UnsupportedError} for chunks that HDF5 has no room for.
 */
export function storageOf(file: FileState, description: ArrayDescription, elementBytes: number): DatasetStorage {
  const { type, shape, chunks, compressed = true, along = 0, leadingOne = false, sparse = false } = description;
  const encoding = chunkEncoding(file, type, elementBytes, compressed);
  const openArrays = file.openArrays.size + 1;
  if (!hasRows(shape)) {
    if (extendableOf(description).length > 0 || chunks !== undefined || leadingOne) {
      throw new InvalidInputError("an array without dimensions can neither grow nor have chunks, nor lie in a row");
    }
    const bytes = shape === null ? 0 : elementBytes;
    return { data: contiguous(file, bytes, openArrays), encoding: [], extendable: [] };
  }
  const extendable = extendableOf(description);
  if (extendable.some((d) => !(Number.isInteger(d) && d >= 0 && d < shape.length))) {
    throw new InvalidInputError(`dimensions [${extendable}] that grow, in an array of ${shape.length}`);
  }
  const bytes = shape.reduce<number>((product, size) => product * (size ?? 1), elementBytes);
  if (bytes > Number.MAX_SAFE_INTEGER) throw new UnsupportedError(`an array of ${bytes} bytes, beyond 2^53`);
  const small = bytes <= INDEX_BYTES && !encoding.some(({ kind }) => kind === "fletcher32");
  if (along > 0) {
    const [first, ...rest] = shape;
    if (first === null || rest.length === 0 || chunks === undefined || leadingOne) {
      throw new InvalidInputError("what comes by columns is a matrix of known shape, with its chunks");
    }
    const chunk = givenChunkShape(chunks, shape, elementBytes, extendable);
    const between = rest.slice(0, -1);
    if (along !== rest.length || between.some((size, d) => size > chunk[d + 1])) {
      throw new InvalidInputError(`chunks of shape [${chunk}] for values that are appended along dimension ${along}`);
    }
    const options = { shape: [first, ...rest], chunk, elementBytes, encoding, chunkK: file.chunkK, sparse };
    return { data: new ColumnData(file.space, file.queue, options), encoding, extendable };
  }
  if (extendable.length === 0 && (bytes === 0 || (chunks === undefined && (encoding.length === 0 || small)))) {
    return { data: contiguous(file, bytes, openArrays), encoding: [], extendable };
  }
  const chunk =
    chunks === undefined
      ? chunkShape(shape, elementBytes, openArrays)
      : givenChunkShape(chunks, shape, elementBytes, extendable);
  const [, ...rowShape] = shape;
  const data = new ChunkedDataWriter(file.space, file.queue, {
    chunk,
    rowShape,
    elementBytes,
    encoding,
    chunkK: file.chunkK,
    shrink: chunks === undefined,
    sparse,
    leadingOne,
  });
  return { data, encoding, extendable: leadingOne ? extendable.map((d) => d + 1) : extendable };
}

/** The dimensions that may grow. */
function extendableOf({ shape, extendable = false }: ArrayDescription): readonly number[] {
  const given = typeof extendable === "boolean" ? (extendable ? [0] : []) : extendable;
  return shape?.[0] === null && !given.includes(0) ? [0, ...given] : given;
}

function contiguous(file: FileState, bytes: number, openArrays: number): RowData {
  const blockBytes = Math.max(LEAST_BLOCK_BYTES, Math.min(MOST_BLOCK_BYTES, Math.floor(OPEN_BYTES / openArrays)));
  return new ContiguousData(file.space, { bytes, blockBytes, compactBytes: file.compactBytes });
}
