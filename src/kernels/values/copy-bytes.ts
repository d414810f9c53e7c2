/** Copies `bytes` to separate memory, whose size is one of a few sizes. */
export function copyToOwnMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { length } = bytes;
  const copy = new Uint8Array(new ArrayBuffer(roundToSizeClass(length)), 0, length);
  copy.set(bytes);
  return copy;
}

/**
 * Rounds a size up to one of a few sizes, which differ by at least an eighth. If memory of arbitrary sizes were freed
 * by another thread, it would leave holes in the heap that cannot be reused.
 */
function roundToSizeClass(bytes: number): number {
  const step = Math.max(LEAST_STEP, 2 ** (Math.floor(Math.log2(Math.max(bytes, 1))) - 3));
  return Math.ceil(bytes / step) * step;
}

const LEAST_STEP = 8;

/**
 * Returns the size for a reusable block. It is slightly larger than requested, since the next use may need a few more
 * rows.
 */
export function getReusableSize(bytes: number): number {
  return roundToSizeClass(Math.ceil((bytes * 17) / 16));
}
