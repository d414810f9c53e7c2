/** Arrays in memory that give their chunks one by one. */

import type { BoxChunk, ReadBoxChunks } from "../src/containers/tree/container.js";
import { getDecodedSize, type NumberArray, type StoredType, viewAsBytes } from "../src/model/stored.js";
import { type MemoryArray, memoryArray } from "./stored-array.js";

export interface BlockArray extends MemoryArray {
  /** Row and column of every chunk that was decoded, in order. */
  readonly decoded: (readonly [row: number, col: number])[];
}

/** A matrix whose chunks come last one first; those of zeros are left out, as if they were never written. */
export function blockArray(
  type: StoredType,
  shape: readonly [number, number],
  values: NumberArray,
  chunks: readonly [number, number],
): BlockArray {
  const array = memoryArray(type, shape, { kind: "fixed", values }, { chunks });
  const decoded: [number, number][] = [];
  const blocks: ReadBoxChunks = async ({ rows, cols }, visit) => {
    const found: { at: [number, number]; block: BoxChunk }[] = [];
    for (let row = 0; row < shape[0]; row += chunks[0]) {
      for (let col = 0; col < shape[1]; col += chunks[1]) {
        const block = blockOf(type, shape, values, [row, col], chunks, rows, cols);
        if (block !== null) found.push({ at: [row, col], block });
      }
    }
    for (const { at, block } of found.reverse()) {
      decoded.push(at);
      if (block.bytes.some((byte) => byte !== 0)) visit(block);
      block.bytes.fill(0xaa);
    }
  };
  return { ...array, decoded, capabilities: { blocks } };
}

/** A chunk within a box, value by value; what lies between its rows is no zero. */
function blockOf(
  type: StoredType,
  [height, width]: readonly [number, number],
  values: NumberArray,
  [row, col]: readonly [number, number],
  [chunkRows, chunkCols]: readonly [number, number],
  rows: readonly [number, number],
  cols: readonly [number, number],
): BoxChunk | null {
  const top = Math.max(row, rows[0]);
  const left = Math.max(col, cols[0]);
  const bottom = Math.min(row + chunkRows, rows[1], height);
  const right = Math.min(col + chunkCols, cols[1], width);
  if (top >= bottom || left >= right) return null;
  const size = getDecodedSize(type) ?? 0;
  const source = viewAsBytes(values);
  const bytes = new Uint8Array(((bottom - top - 1) * chunkCols + right - left) * size).fill(0x55);
  for (let r = top; r < bottom; r++) {
    for (let c = left; c < right; c++) {
      const from = (r * width + c) * size;
      bytes.set(source.subarray(from, from + size), ((r - top) * chunkCols + c - left) * size);
    }
  }
  return { row: top, col: left, rows: bottom - top, cols: right - left, stride: chunkCols, bytes };
}
