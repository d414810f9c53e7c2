/** Validates indices in WebAssembly. */

import { WASM } from "../wasm/indices.wasm.js";
import { instantiateKernel } from "../wasm/instantiate.js";

export interface IndexKernels {
  /** Returns the position of the first index outside [0, limit), or -1; `limit` is at most 2^31. */
  outside32(indices: Int32Array, limit: number): number;
  /** Like `outside32`, but also counts decreases. The count is valid only if no index is outside. */
  survey32(indices: Int32Array, limit: number): IndexSurvey;
  /**
   * `outside32` for 64-bit indices, passed as words. It also writes to `out` the indices before the first out-of-range
   * index.
   */
  narrow64(words: Int32Array, limit: number, out: Int32Array): number;
}

export interface IndexSurvey {
  /** The position of the first index outside [0, limit), or -1. */
  readonly outside: number;
  /** Number of indices that are less than the previous index; undefined if an index is outside. */
  readonly decreases: number;
}

const PART = 2 ** 17;

/** Starts the kernels. */
export async function createWasmIndexKernels(): Promise<IndexKernels> {
  const kernel = await instantiateKernel(WASM, ["input", "output", "outside32", "decreases32", "narrow64"]);
  const { memory, functions } = kernel;
  const input = new Int32Array(memory.buffer, functions.input(), 2 * PART);
  const output = new Int32Array(memory.buffer, functions.output(), PART);
  return {
    outside32(indices, limit) {
      for (let from = 0; from < indices.length; from += PART) {
        const part = indices.subarray(from, from + PART);
        input.set(part);
        const wrong = functions.outside32(part.length, limit);
        if (wrong >= 0) return from + wrong;
      }
      return -1;
    },
    survey32(indices, limit) {
      let decreases = 0;
      for (let from = 0; from < indices.length; from += PART) {
        // Each part begins with the last index of the previous part.
        const first = Math.max(0, from - 1);
        const part = indices.subarray(first, from + PART);
        input.set(part);
        const found = functions.decreases32(part.length, limit);
        if (found < 0) return { outside: first + functions.outside32(part.length, limit), decreases };
        decreases += found;
      }
      return { outside: -1, decreases };
    },
    narrow64(words, limit, out) {
      for (let from = 0; from < words.length / 2; from += PART) {
        const part = words.subarray(2 * from, 2 * (from + PART));
        input.set(part);
        const wrong = functions.narrow64(part.length / 2, limit);
        out.set(output.subarray(0, wrong >= 0 ? wrong : part.length / 2), from);
        if (wrong >= 0) return from + wrong;
      }
      return -1;
    },
  };
}
