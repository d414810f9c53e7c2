/** Pointers into the memory of a library in WebAssembly. */

import { TextBuilder } from "../../../kernels/text/text-builder.js";
import { InvalidDataError } from "../../../model/errors.js";
import { viewOf } from "../bytes/unsigned.js";
import type { Heap } from "../heaps/heap.js";

/** @param memory the library's, which pointers count from. Valid as long as that memory stays where it is. */
export function libraryHeap(memory: Uint8Array): Heap {
  return {
    text(elements, count) {
      const view = viewOf(elements);
      const from = viewOf(memory);
      const text = new TextBuilder(count, 16 * count);
      for (let i = 0; i < count; i++) {
        const start = view.getUint32(4 * i, true);
        if (start === 0) text.addEmpty();
        else text.add(from, start, endOfText(memory, start) - start);
      }
      return text.finish();
    },
    sequence(element, size) {
      const view = viewOf(element);
      const bytes = view.getUint32(0, true) * size;
      const start = view.getUint32(4, true);
      if (start + bytes > memory.length) throw new InvalidDataError(`sequence of ${bytes} bytes exceeds the memory`);
      return memory.subarray(start, start + bytes);
    },
  };
}

function endOfText(memory: Uint8Array, start: number): number {
  if (start > memory.length) throw new InvalidDataError(`text at ${start} of a memory of ${memory.length} bytes`);
  const end = memory.indexOf(0, start);
  return end < 0 ? memory.length : end;
}
