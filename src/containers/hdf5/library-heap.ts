/** Pointers into the memory of a library in WebAssembly. */

import { InvalidDataError } from "../../errors.js";
import { type Heap, joinText } from "./heap.js";

/** @param memory the library's, which pointers count from. Valid as long as that memory stays where it is. */
export function libraryHeap(memory: Uint8Array): Heap {
  return {
    text(elements, count) {
      const view = new DataView(elements.buffer, elements.byteOffset, elements.byteLength);
      return joinText(count, (i) => {
        const start = view.getUint32(4 * i, true);
        return start === 0 ? null : { memory, start, end: memory.length };
      });
    },
    sequence(element, size) {
      const view = new DataView(element.buffer, element.byteOffset, element.byteLength);
      const bytes = view.getUint32(0, true) * size;
      const start = view.getUint32(4, true);
      if (start + bytes > memory.length) throw new InvalidDataError(`sequence of ${bytes} bytes exceeds the memory`);
      return memory.subarray(start, start + bytes);
    },
  };
}
