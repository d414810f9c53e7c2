/** The layout of an array's data: contiguous, in its header, or chunked. */

import { isZero } from "../../../../kernels/values/number-bits.js";
import { InvalidInputError, UnsupportedError } from "../../../../model/errors.js";
import { countElements, type StoredType } from "../../../../model/stored.js";
import type { ArrayDescription, ChunkEncoding } from "../../../tree/container-writer.js";
import type { WrittenLayout } from "../messages/dataset-messages.js";
import type { ChunkQueue } from "../space/chunk-queue.js";
import type { FileSpace } from "../space/file-space.js";
import { hasRows } from "../values/checks.js";
import { isVariable } from "../values/element-bytes.js";
import { ChunkList, writeChunkTree } from "./chunk-tree.js";
import { ChunkedDataWriter } from "./chunked-data.js";
import type { FileState } from "./file-state.js";
import { ContiguousData, type RowData } from "./row-data.js";

export interface DatasetStorage {
  readonly data: RowData;
  /** Empty for data without chunks. */
  readonly encoding: ChunkEncoding;
  /** The dimensions without a limit. */
  readonly extendable: readonly number[];
}

const MAX_BLOCK_BYTES = 2 ** 20;
const LEAST_BLOCK_BYTES = 2 ** 16;

/** Maximum number of bytes that all open arrays together hold in memory. Each array gets an equal share. */
const OPEN_BYTES = 2 ** 26;

/** Size of a chunk index in bytes. Arrays smaller than this are not chunked. */
const INDEX_BYTES = 2048;

/**
 * @throws {InvalidInputError} if the shape lacks a dimension needed for the requested chunks or growth.
 * @throws {UnsupportedError} for chunks too large for HDF5.
 */
export function planDatasetStorage(
  file: FileState,
  description: ArrayDescription,
  elementBytes: number,
): DatasetStorage {
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
  if (description.unwritten === true) return { data: unwrittenData(bytes), encoding: [], extendable: [] };
  const small = bytes <= INDEX_BYTES && !encoding.some(({ kind }) => kind === "fletcher32");
  if (along > 0) {
    const [first, ...rest] = shape;
    if (first === null || rest.length === 0 || chunks === undefined || leadingOne) {
      throw new InvalidInputError("what comes by columns is a matrix of known shape, with its chunks");
    }
    const chunk = checkGivenChunkShape(chunks, shape, elementBytes, extendable);
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
      ? computeHdf5ChunkShape(shape, elementBytes, openArrays)
      : checkGivenChunkShape(chunks, shape, elementBytes, extendable);
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

function extendableOf({ shape, extendable = false }: ArrayDescription): readonly number[] {
  const given = typeof extendable === "boolean" ? (extendable ? [0] : []) : extendable;
  return shape?.[0] === null && !given.includes(0) ? [0, ...given] : given;
}

function contiguous(file: FileState, bytes: number, openArrays: number): RowData {
  const blockBytes = Math.max(LEAST_BLOCK_BYTES, Math.min(MAX_BLOCK_BYTES, Math.floor(OPEN_BYTES / openArrays)));
  return new ContiguousData(file.space, { bytes, blockBytes, compactBytes: file.compactBytes });
}

/** Creates an array without any values, which takes up no space in the file. */
function unwrittenData(bytes: number): RowData {
  return {
    put: () => Promise.reject(new TypeError("an array without values gets none")),
    end: async (then) => then({ kind: "contiguous", address: null, bytes }),
  };
}

/** Size in bytes of an unencoded chunk: first for small arrays, then for large arrays and arrays of unknown length. */
const SMALL_BYTES = 2 ** 18;
const LARGE_BYTES = 2 ** 19;

/** The size in bytes from which an array counts as large. */
const LARGE_ARRAY_BYTES = 2 ** 26;

/** Maximum size in bytes of a chunk with only one row. libhdf5 caches chunks of up to 1 MiB between two reads. */
const MAX_ROW_BYTES = 2 ** 20;

/** The number of chunks above which the index becomes slow to read. */
const MANY_CHUNKS = 50_000;

const LEAST_BYTES = 2 ** 16;

const MAX_CHUNK_BYTES = 2 ** 32 - 1;

/**
 * @param shape at least one dimension; the first is null if it is not known yet.
 * @param openArrays the number of arrays that are being written at the same time.
 */
export function computeHdf5ChunkShape(
  shape: readonly [rows: number | null, ...rest: number[]],
  elementBytes: number,
  openArrays: number,
): number[] {
  const [rows, ...rest] = shape;
  const inner = rest.map((size) => Math.max(1, size));
  const rowBytes = elementBytes * countElements(inner);
  if (rowBytes > MAX_ROW_BYTES) return [1, ...partOfRow(inner, elementBytes)];
  if (rows === null) return [Math.max(1, Math.floor(limited(SMALL_BYTES, openArrays) / rowBytes)), ...inner];
  const total = rows * rowBytes;
  // Data that fits into one large chunk is not split; all other data gets chunks of roughly equal size.
  if (total <= limited(LARGE_BYTES, openArrays)) return [Math.max(1, rows), ...inner];
  const usual = limited(total >= LARGE_ARRAY_BYTES ? LARGE_BYTES : SMALL_BYTES, openArrays);
  const wanted = Math.max(usual, Math.min(total / MANY_CHUNKS, MAX_CHUNK_BYTES));
  const most = Math.max(1, Math.floor(wanted / rowBytes));
  const bands = Math.ceil(rows / most);
  return [Math.ceil(rows / bands), ...inner];
}

/**
 * Returns the requested chunk shape, no larger than the array.
 * @throws {InvalidInputError} if the chunk shape does not match the array.
 * @throws {UnsupportedError} for chunks too large for HDF5.
 */
export function checkGivenChunkShape(
  chunks: readonly number[],
  shape: readonly (number | null)[],
  elementBytes: number,
  extendable: readonly number[],
): number[] {
  if (chunks.length !== shape.length || chunks.some((size) => !Number.isInteger(size) || size < 1)) {
    throw new InvalidInputError(`chunks of shape [${chunks}] for an array of ${shape.length} dimensions`);
  }
  const fitting = chunks.map((size, d) => {
    const whole = extendable.includes(d) ? null : shape[d];
    return whole === null ? size : Math.max(1, Math.min(size, whole));
  });
  const bytes = countElements(fitting) * elementBytes;
  if (bytes > MAX_CHUNK_BYTES) {
    throw new UnsupportedError(`chunks of ${bytes} bytes; HDF5 has at most ${MAX_CHUNK_BYTES}`);
  }
  return fitting;
}

function limited(bytes: number, openArrays: number): number {
  return Math.max(LEAST_BYTES, Math.min(bytes, OPEN_BYTES / Math.max(1, openArrays)));
}

/**
 * Chooses a chunk shape that covers part of a row: as many whole inner dimensions as fit, part of the next dimension,
 * and 1 in the outer dimensions.
 */
function partOfRow(inner: readonly number[], elementBytes: number): number[] {
  const chunk: number[] = inner.map(() => 1);
  let bytes = elementBytes;
  for (let d = inner.length - 1; d >= 0; d--) {
    chunk[d] = Math.max(1, Math.min(inner[d], Math.floor(LARGE_BYTES / bytes)));
    bytes *= chunk[d];
    if (chunk[d] < inner[d]) break;
  }
  return chunk;
}

function chunkEncoding(file: FileState, type: StoredType, elementBytes: number, compressed: boolean): ChunkEncoding {
  const { compression, shuffle, fletcher32 } = file;
  const deflate = compressed && compression.kind === "gzip" ? compression : null;
  // libhdf5 does not apply mandatory filters to arrays that point into a heap.
  const variable = isVariable(type);
  const whole = type.kind === "int" || type.kind === "enum" || variable;
  const regroups = elementBytes > 1 && (shuffle === "all" || (shuffle === "integers" && whole));
  return [
    ...(deflate !== null && regroups ? [{ kind: "shuffle", elementBytes } as const] : []),
    ...(deflate !== null ? [{ kind: "deflate", level: deflate.level, form: "zlib" } as const] : []),
    ...(fletcher32 && !variable ? [{ kind: "fletcher32" } as const] : []),
  ];
}

// A chunked matrix that arrives by columns, as blocks that each contain all rows.

interface ColumnOptions {
  /** The shape. The last dimension counts columns; all others make up the rows. */
  readonly shape: readonly number[];
  /** The chunk shape, which equals the array's shape in all dimensions except the first and the last. */
  readonly chunk: readonly number[];
  readonly elementBytes: number;
  readonly encoding: ChunkEncoding;
  /** Half the maximum number of children per index node. */
  readonly chunkK: number;
  /** Omits chunks of zeros. */
  readonly sparse: boolean;
}

class ColumnData implements RowData {
  readonly #space: FileSpace;
  readonly #queue: ChunkQueue;
  readonly #options: ColumnOptions;
  readonly #chunks = new ChunkList();
  readonly #rows: number;
  readonly #height: number;
  readonly #width: number;
  /** The number of adjacent chunks. */
  readonly #across: number;
  #columns = 0;

  constructor(space: FileSpace, queue: ChunkQueue, options: ColumnOptions) {
    this.#space = space;
    this.#queue = queue;
    this.#options = options;
    const { shape, chunk } = options;
    this.#rows = countElements(shape.slice(0, -1));
    this.#height = countElements(chunk.slice(0, -1));
    this.#width = chunk[chunk.length - 1];
    this.#across = Math.ceil(shape[shape.length - 1] / this.#width);
  }

  /** Writes a block [rows, n] in C order, which must begin at a chunk boundary. */
  async put(bytes: Uint8Array): Promise<void> {
    const { elementBytes } = this.#options;
    const rows = this.#rows;
    const columns = rows === 0 ? 0 : bytes.length / (rows * elementBytes);
    if (columns === 0) return;
    if (this.#columns % this.#width !== 0) {
      throw new TypeError(`columns after the first ${this.#columns}, which end within chunks of ${this.#width}`);
    }
    for (let column = 0; column < columns; column += this.#width) {
      const width = Math.min(this.#width, columns - column);
      const across = (this.#columns + column) / this.#width;
      for (let row = 0, down = 0; row < rows; row += this.#height, down++) {
        const height = Math.min(this.#height, rows - row);
        const from = (row * columns + column) * elementBytes;
        const lines: Lines = { from, height, step: columns * elementBytes, bytes: width * elementBytes };
        await this.#putChunk(down * this.#across + across, bytes, lines);
      }
    }
    this.#columns += columns;
  }

  async end(then: (layout: WrittenLayout) => void): Promise<void> {
    const { chunk, elementBytes, chunkK } = this.#options;
    await this.#queue.addEnd(async () => {
      this.#chunks.sort();
      const columns = [...chunk.slice(1, -1).map(() => 1), this.#across];
      const grid = { chunk, columns, elementBytes };
      const tree = await writeChunkTree(this.#space, chunkK, this.#chunks, grid);
      then({ kind: "chunked", chunk, elementBytes, tree });
    });
  }

  async #putChunk(place: number, block: Uint8Array, lines: Lines): Promise<void> {
    const { encoding, sparse, elementBytes } = this.#options;
    if (sparse && isZeroBlock(block, lines)) return;
    const bytes = this.#height * this.#width * elementBytes;
    const chunk = encoding.length === 0 ? new Uint8Array(bytes) : this.#queue.memory(bytes);
    copyLines(block, lines, chunk, this.#width * elementBytes);
    if (encoding.length > 0) {
      await this.#queue.addChunk(chunk, encoding, (address, size) => this.#chunks.add(place, address, size));
      return;
    }
    const address = this.#space.allocate(bytes, 1);
    this.#chunks.add(place, address, bytes);
    await this.#space.store(address, chunk);
  }
}

/** A part of a block: `height` lines of `bytes` bytes, whose starts are `step` bytes apart. */
interface Lines {
  readonly from: number;
  readonly height: number;
  readonly step: number;
  readonly bytes: number;
}

function isZeroBlock(block: Uint8Array, { from, height, step, bytes }: Lines): boolean {
  if (step === bytes) return isZero(block.subarray(from, from + height * step));
  for (let line = 0; line < height; line++) {
    if (!isZero(block.subarray(from + line * step, from + line * step + bytes))) return false;
  }
  return true;
}

/** Copies the lines into a chunk, line by line, and fills the rest of the chunk with zeros. */
function copyLines(block: Uint8Array, { from, height, step, bytes }: Lines, chunk: Uint8Array, width: number): void {
  if (step === bytes && bytes === width) {
    chunk.set(block.subarray(from, from + height * step));
    chunk.fill(0, height * step);
    return;
  }
  chunk.fill(0);
  for (let line = 0; line < height; line++) {
    chunk.set(block.subarray(from + line * step, from + line * step + bytes), line * width);
  }
}
