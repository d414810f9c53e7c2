/**
 * Reads a box of a chunked matrix, chunk by chunk. Rows are not assembled, because the caller takes each chunk's values
 * in their stored order.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError, InvalidInputError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import type { BoxChunk, MatrixBox } from "../../tree/container.js";
import type { MakeNative } from "../types/stored-type.js";
import type { StoredChunk } from "./chunk-index.js";
import { fillWith, LISTED } from "./chunked-rows.js";
import { type ChunkedData, decodeChunks, sumCheckedSizes, type VisitChunk } from "./read-chunks.js";

/** Maximum size of a chunk that is decoded into reused memory. */
const MAX_KEPT_BYTES = 2 ** 24;

/**
 * Passes on the values in the box, one chunk after another. The box must lie within the matrix.
 * @throws {InvalidDataError} if the index, a checksum or the length of a chunk is wrong.
 */
export async function readChunkedBlocks(
  data: ChunkedData,
  makeNative: MakeNative,
  box: MatrixBox,
  visit: (block: BoxChunk) => void,
  options?: ReadOptions,
): Promise<void> {
  const { index, shape, chunk, elementSize, file } = data;
  const [[top, bottom], [left, right]] = checkedBox(box, shape);
  if (top === bottom || left === right) return;
  const chunkBytes = countElements(chunk) * elementSize;
  // The decoder allocates the memory for larger chunks, once it is clear that the stored bytes decode to that size.
  const memory = chunkBytes <= MAX_KEPT_BYTES ? new Uint8Array(chunkBytes) : null;
  const perBand = Math.ceil(right / chunk[1]) - Math.floor(left / chunk[1]);
  const bandRows = Math.max(1, Math.floor(LISTED / perBand)) * chunk[0];
  const give = (offset: readonly number[], stride: number, bytes: Uint8Array) => {
    const row = Math.max(offset[0], top);
    const col = Math.max(offset[1], left);
    const rows = Math.min(offset[0] + chunk[0], bottom) - row;
    const cols = Math.min(offset[1] + chunk[1], right) - col;
    const from = stride === 0 ? 0 : (row - offset[0]) * stride + col - offset[1];
    const end = from + (rows - 1) * stride + cols;
    visit({ row, col, rows, cols, stride, bytes: bytes.subarray(from * elementSize, end * elementSize) });
  };
  let stored = 0;
  for (let low = top; low < bottom; ) {
    const high = Math.min(bottom, low - (low % bandRows) + bandRows);
    const found = index === null ? [] : await index.find({ rows: [low, high], columns: [left, right], shape }, options);
    const chunks = found.filter(({ offset }) => offset[1] < right && offset[1] + chunk[1] > left);
    stored += sumCheckedSizes(chunks, file.size);
    if (stored > file.size) {
      throw new InvalidDataError(`chunks of ${stored} bytes in all, in a file of ${file.size} bytes`);
    }
    const visitChunk: VisitChunk = (offset, bytes, slot) => {
      // Bytes outside the slot may be the source's own memory, which must not be changed.
      const own = bytes === slot ? bytes : copyOf(bytes, slot);
      makeNative(own);
      give(offset, chunk[1], own);
    };
    await decodeChunks(data, chunks, () => memory, visitChunk, options);
    if (data.fill.some((byte) => byte !== 0)) {
      const row = new Uint8Array(Math.min(chunk[1], right - left) * elementSize);
      fillWith(row, data.fill);
      makeNative(row);
      for (const offset of missing(chunks, chunk, [low, high], [left, right])) give(offset, 0, row);
    }
    low = high;
  }
}

function copyOf(bytes: Uint8Array, memory: Uint8Array | null): Uint8Array {
  if (memory === null) return bytes.slice();
  memory.set(bytes);
  return memory;
}

/** Yields the offsets of chunks that were never written. */
function* missing(
  chunks: readonly StoredChunk[],
  [height, width]: readonly number[],
  [top, bottom]: readonly [number, number],
  [left, right]: readonly [number, number],
): Generator<readonly number[]> {
  const written = new Set(chunks.map(({ offset }) => offset.join()));
  for (let row = top - (top % height); row < bottom; row += height) {
    for (let col = left - (left % width); col < right; col += width) {
      const offset = [row, col];
      if (!written.has(offset.join())) yield offset;
    }
  }
}

function checkedBox({ rows, cols }: MatrixBox, shape: readonly number[]) {
  for (const [axis, [start, end]] of [rows, cols].entries()) {
    if (Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end <= shape[axis]) continue;
    throw new InvalidInputError(`${axis === 0 ? "rows" : "columns"} ${start} to ${end} of ${shape[axis]}`);
  }
  return [rows, cols] as const;
}
