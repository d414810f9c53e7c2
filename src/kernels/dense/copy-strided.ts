/** Copies every n-th value of a block. */

/**
 * Copies every `stride`-th value of `size` bytes: `count` values of the source, starting at value `first`, to `target`,
 * starting at value `at`.
 */
export function copyStrided(
  source: Uint8Array,
  size: number,
  first: number,
  stride: number,
  target: Uint8Array,
  at: number,
  count: number,
): void {
  if (size === 4 && source.byteOffset % 4 === 0 && target.byteOffset % 4 === 0) {
    const from = new Int32Array(source.buffer, source.byteOffset, source.length >> 2);
    const to = new Int32Array(target.buffer, target.byteOffset, target.length >> 2);
    for (let i = 0, place = first; i < count; i++, place += stride) to[at + i] = from[place];
    return;
  }
  for (let i = 0, place = first * size; i < count; i++, place += stride * size) {
    for (let k = 0; k < size; k++) target[(at + i) * size + k] = source[place + k];
  }
}
