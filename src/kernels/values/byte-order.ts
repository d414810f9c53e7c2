import { getByteKernels, isWordSize } from "./bytes-wasm.js";

/** Reverses the bytes of every `size`-byte value in place. An incomplete value at the end is unchanged. */
export function swapBytes(bytes: Uint8Array, size: number): void {
  const whole = bytes.length - (bytes.length % size);
  const kernels = isWordSize(size) ? getByteKernels(whole) : null;
  if (isWordSize(size) && kernels !== null) kernels.swap(bytes.subarray(0, whole), size);
  else swapByLoop(bytes, size, whole);
}

function swapByLoop(bytes: Uint8Array, size: number, whole: number): void {
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
