/** Where strings and sequences of variable length lie: in the file's global heaps, or in a library's memory. */

import type { VariableValues } from "../../../model/stored.js";

export interface Heap {
  /** The text of `count` elements of a variable string type; it ends at a NUL, as for readers that go through C. */
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

/** For no elements at all. */
export const EMPTY_HEAP: Heap = {
  ...NO_HEAP,
  text: () => ({ kind: "variable", offsets: new Int32Array(1), bytes: new Uint8Array(0) }),
};
