/** From one plane per byte of a value to values; bytes after the last whole value stay at the end. */
export function unshuffle(planes: Uint8Array, valueSize: number): Uint8Array {
  const count = valueSize < 2 ? 0 : Math.floor(planes.length / valueSize);
  const out = planes.slice();
  // A size beyond the bytes has no whole value: no loop over its planes.
  if (count === 0) return out;
  for (let plane = 0; plane < valueSize; plane++) {
    const from = plane * count;
    for (let i = 0, to = plane; i < count; i++, to += valueSize) out[to] = planes[from + i];
  }
  return out;
}
