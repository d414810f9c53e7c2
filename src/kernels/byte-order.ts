/** Reverses the bytes of every `size`-byte value in place; trailing bytes of an incomplete value stay. */
export function swapBytes(bytes: Uint8Array, size: number): void {
  const whole = bytes.length - (bytes.length % size);
  switch (size) {
    case 1:
      return;
    case 2:
      for (let i = 0; i < whole; i += 2) {
        const first = bytes[i];
        bytes[i] = bytes[i + 1];
        bytes[i + 1] = first;
      }
      return;
    default:
      for (let start = 0; start < whole; start += size) {
        for (let low = start, high = start + size - 1; low < high; low++, high--) {
          const first = bytes[low];
          bytes[low] = bytes[high];
          bytes[high] = first;
        }
      }
  }
}
