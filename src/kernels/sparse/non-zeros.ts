/** Finds the nonzeros of blocks of values. A value is zero if all its bits are 0, so NaN and -0.0 are nonzeros. */

import { once } from "../values/once.js";
import { instantiateSmallKernel } from "../wasm/instantiate.js";
import { WASM } from "../wasm/non-zeros.wasm.js";
import { type NonZeroList, type StridedRows, type ValueWords, viewAsWords } from "./non-zero-list.js";

/**
 * Minimum number of values for WebAssembly. For fewer values, or if most values between the rows are not needed,
 * copying them into the module costs more than it saves.
 */
const LEAST_FOR_WASM = 512;

/** Adds the entries of the block to the list, row by row, and ends its rows. */
export function findNonZeros(block: StridedRows, list: NonZeroList): void {
  const { rows, cols, stride } = block;
  const find = rows * cols >= LEAST_FOR_WASM && stride <= 2 * cols ? wasmNonZeros() : null;
  (find ?? findPlainly)(block, list);
}

/** Implements `findNonZeros` for few values, in JavaScript. */
export function findPlainly({ bytes, rows, cols, stride, firstCol }: StridedRows, list: NonZeroList): void {
  const aligned = bytes.byteOffset % Math.min(4, list.size) === 0 ? bytes : bytes.slice();
  const source = viewAsWords(aligned, list.size);
  for (let row = 0; row < rows; row++) {
    list.reserve(cols);
    const { words, columns, length } = list;
    const from = row * stride;
    const find = list.size === 8 ? findPairs : findWords;
    list.length = find(source, from, cols, firstCol, columns, words, length);
    list.endRow();
  }
}

/** @returns the new length of the list. */
function findWords(
  source: ValueWords,
  from: number,
  count: number,
  first: number,
  columns: Int32Array,
  values: ValueWords,
  length: number,
): number {
  let at = length;
  for (let i = 0; i < count; i++) {
    const value = source[from + i];
    if (value === 0) continue;
    columns[at] = first + i;
    values[at++] = value;
  }
  return at;
}

/** Implements `findWords` for values of two words. */
function findPairs(
  source: ValueWords,
  from: number,
  count: number,
  first: number,
  columns: Int32Array,
  values: ValueWords,
  length: number,
): number {
  let at = length;
  for (let i = 0; i < count; i++) {
    const low = source[2 * (from + i)];
    const high = source[2 * (from + i) + 1];
    if (low === 0 && high === 0) continue;
    columns[at] = first + i;
    values[2 * at] = low;
    values[2 * at + 1] = high;
    at++;
  }
  return at;
}

/** Number of values that the module processes at a time. */
const PART = 2 ** 15;

/** Adds the nonzeros of a block to the list. */
export type FindNonZeros = (block: StridedRows, list: NonZeroList) => void;

/** Starts the kernel. */
export const wasmNonZeros = once(start);

const FUNCTIONS = ["input", "columns", "values", "ends", "find1", "find2", "find4", "find8"] as const;

function start(): FindNonZeros {
  const { memory, functions } = instantiateSmallKernel(WASM, FUNCTIONS);
  const { buffer } = memory;
  const input = new Uint8Array(buffer, functions.input(), 8 * PART);
  const columns = new Int32Array(buffer, functions.columns(), PART);
  const values = new Uint8Array(buffer, functions.values(), 8 * PART);
  const ends = new Int32Array(buffer, functions.ends(), PART);
  const find = { 1: functions.find1, 2: functions.find2, 4: functions.find4, 8: functions.find8 };
  return ({ bytes, rows, cols, stride, firstCol }, list) => {
    const { size } = list;
    // A part contains as many rows as fit. Rows that do not fit are copied in several parts.
    const perPart = Math.max(1, Math.min(rows, Math.floor(PART / stride)));
    for (let row = 0; row < rows; row += perPart) {
      const some = Math.min(perPart, rows - row);
      const before = list.length;
      for (let col = 0; col < cols; col += PART) {
        const width = Math.min(PART, cols - col);
        const from = row * stride + col;
        input.set(bytes.subarray(from * size, (from + (some - 1) * stride + width) * size));
        list.add(columns, values, find[size](some, width, stride, firstCol + col));
      }
      if (some === 1) list.endRow();
      else list.endRows(ends, some, before);
    }
  };
}
