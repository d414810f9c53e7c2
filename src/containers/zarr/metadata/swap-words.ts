import { swapBytes } from "../../../kernels/values/byte-order.js";
import type { WordRun } from "./data-type.js";

/** Reverses the bytes of these words in every item of `size` bytes, in place. */
export function swapWords(bytes: Uint8Array, size: number, words: readonly WordRun[]): void {
  for (const run of words) {
    const length = run.size * run.count;
    if (length === size) {
      swapBytes(bytes, run.size);
      continue;
    }
    for (let item = run.offset; item < bytes.length; item += size) {
      swapBytes(bytes.subarray(item, item + length), run.size);
    }
  }
}
