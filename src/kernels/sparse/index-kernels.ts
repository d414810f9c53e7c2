/** Checks of indices in WebAssembly. */

import { WASM } from "../wasm/indices.wasm.js";
import { instantiateKernel } from "../wasm/instantiate.js";

export interface IndexKernels {
  /** Returns the position of the first index outside [0, limit), or -1; `limit` is at most 2^31. */
  outside32(indices: Int32Array, limit: number): number;
  /** Does the work of `outside32`, and counts the indices below their predecessor where no index is outside. */
  survey32(indices: Int32Array, limit: number): IndexSurvey;
  /**
   * Does the work of `outside32` for 64-bit indices, given as words. It writes the indices in front of the first one
   * outside to `out`.
   */
  narrow64(words: Int32Array, limit: number, out: Int32Array): number;
}

/** The results of one pass over indices. */
export interface IndexSurvey {
  /** The position of the first index outside [0, limit), or -1. */
  readonly outside: number;
  /** The number of indices below their predecessor; meaningless where an index is outside. */
  readonly decreases: number;
}

const PART = 2 ** 17;

/** Starts the kernels. Returns null where there is no WebAssembly with SIMD. */
export async function wasmIndexKernels(): Promise<IndexKernels | null> {
  const kernel = await instantiateKernel(WASM, ["input", "output", "outside32", "decreases32", "narrow64"]);
  if (kernel === null) return null;
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
