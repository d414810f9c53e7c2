import { getByteKernels, isWordSize } from "../../values/bytes-wasm.js";

/** Rearranges values into one plane per byte of a value. Bytes after the last whole value stay at the end. */
export function shuffle(bytes: Uint8Array, valueSize: number): Uint8Array<ArrayBuffer> {
  const planes = new Uint8Array(bytes.length);
  shuffleInto(bytes, planes, valueSize);
  return planes;
}

/**
 * Works like `shuffle`, but writes to `planes`.
 * @param planes other memory of equal size.
 */
export function shuffleInto(bytes: Uint8Array, planes: Uint8Array, valueSize: number): void {
  const count = Math.floor(bytes.length / valueSize);
  // If the value size is larger than the data, there is no whole value, so no loop over its planes must start.
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

/** Rearranges one plane per byte of a value into values. Bytes after the last whole value stay at the end. */
export function unshuffle(planes: Uint8Array, valueSize: number): Uint8Array {
  const out = new Uint8Array(planes.length);
  unshuffleInto(planes, out, valueSize);
  return out;
}

/**
 * Works like `unshuffle`, but writes to `out`.
 * @param out other memory of equal size.
 */
export function unshuffleInto(planes: Uint8Array, out: Uint8Array, valueSize: number): void {
  const count = Math.floor(planes.length / valueSize);
  // If the value size is larger than the data, there is no whole value, so no loop over its planes must start.
  if (valueSize < 2 || count === 0) {
    out.set(planes);
    return;
  }
  const kernels = isWordSize(valueSize) ? getByteKernels(planes.length) : null;
  if (isWordSize(valueSize) && kernels !== null) kernels.unshuffle(planes, out, valueSize, count);
  else if (valueSize % 4 === 0 && out.byteOffset % 4 === 0) joinWords(planes, out, valueSize, count);
  else scatter(planes, out, valueSize, count);
  const whole = count * valueSize;
  if (whole < planes.length) out.set(planes.subarray(whole), whole);
}

/** Joins four planes at a time, so that only one write is needed per four bytes. */
function joinWords(planes: Uint8Array, out: Uint8Array, valueSize: number, count: number): void {
  const step = valueSize / 4;
  const words = new Uint32Array(out.buffer, out.byteOffset, count * step);
  for (let word = 0; word < step; word++) {
    const p0 = 4 * word * count;
    const p1 = p0 + count;
    const p2 = p1 + count;
    const p3 = p2 + count;
    for (let i = 0, to = word; i < count; i++, to += step) {
      words[to] = planes[p0 + i] | (planes[p1 + i] << 8) | (planes[p2 + i] << 16) | (planes[p3 + i] << 24);
    }
  }
}

function scatter(planes: Uint8Array, out: Uint8Array, valueSize: number, count: number): void {
  for (let plane = 0; plane < valueSize; plane++) {
    const from = plane * count;
    for (let i = 0, to = plane; i < count; i++, to += valueSize) out[to] = planes[from + i];
  }
}
