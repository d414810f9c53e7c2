/**
 * A copy of `bytes`, in memory of its own. Its size differs from others by an eighth at least: what is of any size, and
 * freed by another thread, leaves holes in the heap that nothing else fits into.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { length } = bytes;
  const step = Math.max(LEAST_STEP, 2 ** (Math.floor(Math.log2(Math.max(length, 1))) - 3));
  const copy = new Uint8Array(new ArrayBuffer(Math.ceil(length / step) * step), 0, length);
  copy.set(bytes);
  return copy;
}

const LEAST_STEP = 8;
