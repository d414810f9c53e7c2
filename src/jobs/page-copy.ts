/** `length` values of 32 bits of a page, from the one at `from` on, in memory of their own. */
export function pageCopy(
  { buffer, byteOffset }: Int32Array | Uint32Array,
  from: number,
  length: number,
): ArrayBufferLike {
  const begin = byteOffset + 4 * from;
  // A slice of a buffer is not filled with zeros first, as a new array is.
  return buffer.slice(begin, begin + 4 * length);
}

/** Rows of a batch of at most `most`, so that few batches of about one size make a page. */
export function pageParts(most: number, pageRows: number): number {
  return Math.ceil(pageRows / Math.ceil(pageRows / most));
}
