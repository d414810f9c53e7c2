/** `length` values of 32 bits of a page, from the one at `from` on, in memory of their own. */
export function pageCopy(
  { buffer, byteOffset }: Int32Array | Uint32Array,
  from: number,
  length: number,
): ArrayBufferLike {
  const begin = byteOffset + 4 * from;
  fillYoungHeap(4 * length);
  // A slice of a buffer is not filled with zeros first, as a new array is.
  return buffer.slice(begin, begin + 4 * length);
}

/** One filler for so many bytes of buffers, and its values: as many as an ordinary young object can have. */
const FILLER_FOR = 2 ** 19;
const FILLER_VALUES = 16000;

const young: { bytes: number; filler: unknown[] } = { bytes: 0, filler: [] };

/**
 * Lets the engine collect young objects before 32 MiB of buffers that nobody holds have gathered: with so many it
 * begins to mark the whole heap too, after every one of its collections. Buffers lie outside its heap, and fill nothing.
 */
function fillYoungHeap(bytes: number): void {
  young.bytes += bytes;
  for (; young.bytes >= FILLER_FOR; young.bytes -= FILLER_FOR) young.filler = new Array(FILLER_VALUES);
}

/** Rows of a batch of at most `most`, so that few batches of about one size make a page. */
export function pageParts(most: number, pageRows: number): number {
  return Math.ceil(pageRows / Math.ceil(pageRows / most));
}
