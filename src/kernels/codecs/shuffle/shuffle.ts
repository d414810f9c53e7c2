import { getByteKernels, isWordSize } from "../../values/bytes-wasm.js";

/** Rearranges values into one plane per byte of a value. Bytes after the last whole value stay at the end. */
export function shuffle(bytes: Uint8Array, valueSize: number): Uint8Array<ArrayBuffer> {
  const planes = new Uint8Array(bytes.length);
  shuffleInto(bytes, planes, valueSize);
  return planes;
}

/**
 * Works like `shuffle`, into `planes`.
 * @param planes other memory of equal size.
 */
export function shuffleInto(bytes: Uint8Array, planes: Uint8Array, valueSize: number): void {
  const count = Math.floor(bytes.length / valueSize);
  // A value size larger than the data gives no whole value, so it must not start a loop over its planes.
  if (valueSize < 2 || count === 0) {
    planes.set(bytes);
    return;
  }
  const kernels = isWordSize(valueSize) ? getByteKernels(bytes.length) : null;
  if (isWordSize(valueSize) && kernels !== null) kernels.shuffle(bytes, planes, valueSize, count);
  else takeApart(bytes, planes, valueSize, count);
  const whole = count * valueSize;
  if (whole < bytes.length) planes.set(bytes.subarray(whole), whole);
}

function takeApart(bytes: Uint8Array, planes: Uint8Array, valueSize: number, count: number): void {
  for (let plane = 0; plane < valueSize; plane++) {
    const to = plane * count;
    for (let i = 0, from = plane; i < count; i++, from += valueSize) planes[to + i] = bytes[from];
  }
}
