/** Where strings and sequences of variable length lie: in the file's global heaps, or in a library's memory. */

import { checkTextBytes } from "../../kernels/join-values.js";
import type { VariableValues } from "../../stored.js";

export interface Heap {
  /** The text of `count` elements of a variable string type. */
  text(elements: Uint8Array, count: number): VariableValues;
  /** The bytes of the sequence that one element stands for; `size` is that of one of its values. */
  sequence(element: Uint8Array, size: number): Uint8Array;
}

/** For types that hold no pointers. */
export const NO_HEAP: Heap = {
  text: () => {
    throw new TypeError("text of variable length without a heap");
  },
  sequence: () => {
    throw new TypeError("a sequence of variable length without a heap");
  },
};

/** A stretch of `memory`; text ends at a NUL in it, too, as for every reader that goes through C strings. */
export interface Stretch {
  readonly memory: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Copies the text of `count` stretches behind one another; null is empty text. */
export function joinText(count: number, stretch: (i: number) => Stretch | null): VariableValues {
  const offsets = new Int32Array(count + 1);
  const found: (Stretch | null)[] = new Array(count);
  let total = 0;
  for (let i = 0; i < count; i++) {
    const part = stretch(i);
    found[i] = part;
    if (part !== null) {
      const { memory, start } = part;
      let end = start;
      while (end < part.end && memory[end] !== 0) end++;
      total += end - start;
      checkTextBytes(total);
    }
    offsets[i + 1] = total;
  }
  const bytes = new Uint8Array(total);
  for (let i = 0; i < count; i++) {
    const part = found[i];
    if (part === null) continue;
    const { memory, start } = part;
    const length = offsets[i + 1] - offsets[i];
    // Short text is the rule, and a loop beats `set` on it.
    if (length > 48) bytes.set(memory.subarray(start, start + length), offsets[i]);
    else for (let k = 0, to = offsets[i]; k < length; k++) bytes[to++] = memory[start + k];
  }
  return { kind: "variable", offsets, bytes };
}
