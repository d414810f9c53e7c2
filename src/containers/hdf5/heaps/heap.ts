/**
 * The interface to variable-length strings and sequences, which are stored in the file's global heaps or in h5wasm's
 * memory.
 */

import { TextBuilder } from "../../../kernels/text/text-builder.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { VariableValues } from "../../../model/stored.js";
import { createDataView } from "../bytes/cursor.js";

export interface Heap {
  /**
   * Returns the text of `count` elements of a variable-length string type. A text ends at a NUL, as in readers that use
   * C strings.
   */
  text(elements: Uint8Array, count: number): VariableValues;
  /** Returns the bytes of the sequence that an element refers to; `size` is the size of one value. */
  sequence(element: Uint8Array, size: number): Uint8Array;
  /** Returns the bytes of the region that one reference points to; null for a null reference. */
  region(element: Uint8Array): Uint8Array | null;
}

/** The heap for types without references. */
export const NO_HEAP: Heap = {
  text: () => {
    throw new TypeError("text of variable length without a heap");
  },
  sequence: () => {
    throw new TypeError("a sequence of variable length without a heap");
  },
  region: () => {
    throw new TypeError("a region reference without a heap");
  },
};

/** The heap for an empty list of elements. */
export const EMPTY_HEAP: Heap = {
  sequence: () => new Uint8Array(0),
  region: () => null,
  text: () => ({ kind: "variable", offsets: new Int32Array(1), bytes: new Uint8Array(0) }),
};

/**
 * @param memory the library's memory, to whose start pointers are relative. The heap is valid as long as the memory
 * does not move.
 */
export function createLibraryHeap(memory: Uint8Array): Heap {
  return {
    text(elements, count) {
      const view = createDataView(elements);
      const from = createDataView(memory);
      const text = new TextBuilder(count, 16 * count);
      for (let i = 0; i < count; i++) {
        const start = view.getUint32(4 * i, true);
        if (start === 0) text.addEmpty();
        else text.add(from, start, endOfText(memory, start) - start);
      }
      return text.finish();
    },
    sequence(element, size) {
      const view = createDataView(element);
      const bytes = view.getUint32(0, true) * size;
      const start = view.getUint32(4, true);
      if (start + bytes > memory.length) throw new InvalidDataError(`sequence of ${bytes} bytes exceeds the memory`);
      return memory.subarray(start, start + bytes);
    },
    region: () => {
      throw new UnsupportedError("region references in a virtual dataset");
    },
  };
}

function endOfText(memory: Uint8Array, start: number): number {
  if (start > memory.length) throw new InvalidDataError(`text at ${start} of a memory of ${memory.length} bytes`);
  const end = memory.indexOf(0, start);
  return end < 0 ? memory.length : end;
}
