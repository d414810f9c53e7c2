/** Text of variable length, from the file's global heaps to where it stays. */

import { TextBuilder } from "../../../kernels/text/text-builder.js";
import type { VariableValues } from "../../../model/stored.js";
import type { ReadOptions } from "../../../sources/source.js";
import { viewOf } from "../bytes/unsigned.js";
import type { Hdf5File } from "../file/file-bytes.js";
import type { VariableStringDatatype } from "../types/datatype.js";
import { GlobalHeap } from "./global-heap.js";

/** Elements whose heaps are in memory at once, and bytes of their text. */
const PIECE_ELEMENTS = 1 << 16;
const PIECE_BYTES = 1 << 24;

/**
 * The text of `count` elements of a variable string type.
 * @throws {InvalidDataError} where a heap is damaged or does not hold what the elements say.
 */
export async function readHeapText(
  file: Hdf5File,
  type: VariableStringDatatype,
  elements: Uint8Array,
  count: number,
  options?: ReadOptions,
): Promise<VariableValues> {
  const heap = new GlobalHeap(file);
  heap.checkSize(type);
  const text = new TextBuilder(count, heap.textBytes(elements, count));
  const lengths = viewOf(elements);
  for (let done = 0; done < count; ) {
    let end = done;
    let bytes = 0;
    do bytes += lengths.getUint32(end++ * type.size, true);
    while (end < count && end - done < PIECE_ELEMENTS && bytes < PIECE_BYTES);
    const piece = elements.subarray(done * type.size, end * type.size);
    await heap.fetch(type, piece, end - done, options);
    heap.addText(piece, end - done, text);
    done = end;
  }
  return text.finish();
}
