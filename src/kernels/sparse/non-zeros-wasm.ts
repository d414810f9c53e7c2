/** Finds the nonzeros of blocks in WebAssembly. */

import { once } from "../values/once.js";
import { instantiateSmallKernel } from "../wasm/instantiate.js";
import { WASM } from "../wasm/non-zeros.wasm.js";
import type { NonZeroList, StridedRows } from "./non-zero-list.js";

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
