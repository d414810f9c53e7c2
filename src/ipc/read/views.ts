/** Text and bytes in views (`Utf8View`, `BinaryView`) as plain ones. */

import { InvalidDataError, UnsupportedError } from "../../model/errors.js";

/** Values up to this length stand in the view itself. */
const INLINE = 12;
/** Views may share their bytes, plain values do not: more than this is refused. */
const MAX_BYTES = 2 ** 30;

export interface Views {
  /** 16 bytes for each value: length, then the value, or its first bytes, buffer and offset. */
  readonly views: Uint8Array;
  readonly buffers: readonly Uint8Array[];
  readonly bigEndian: boolean;
}

export function plainTexts(
  name: string,
  given: Views,
  length: number,
  validity: Uint8Array | undefined,
): [offsets: Int32Array, bytes: Uint8Array] {
  const { views, bigEndian } = given;
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  const isValid = (i: number) => validity === undefined || ((validity[i >> 3] >> (i & 7)) & 1) === 1;
  const offsets = new Int32Array(length + 1);
  let total = 0;
  for (let i = 0; i < length; i++) {
    const size = isValid(i) ? view.getInt32(16 * i, !bigEndian) : 0;
    if (size < 0) throw new InvalidDataError(`${name} has a value of ${size} bytes in row ${i}`);
    total += size;
    if (total > MAX_BYTES) throw new UnsupportedError(`${name} has more than ${MAX_BYTES} bytes in one batch`);
    offsets[i + 1] = total;
  }
  const bytes = new Uint8Array(total);
  for (let i = 0; i < length; i++) {
    const size = offsets[i + 1] - offsets[i];
    const at = 16 * i;
    if (size <= INLINE) bytes.set(views.subarray(at + 4, at + 4 + size), offsets[i]);
    else bytes.set(shared(name, view, at, size, given), offsets[i]);
  }
  return [offsets, bytes];
}

function shared(name: string, view: DataView, at: number, size: number, { buffers, bigEndian }: Views): Uint8Array {
  const [index, start] = [view.getInt32(at + 8, !bigEndian), view.getInt32(at + 12, !bigEndian)];
  const buffer = buffers[index];
  if (buffer === undefined) throw new InvalidDataError(`${name} has a value in buffer ${index} of ${buffers.length}`);
  if (start >= 0 && start + size <= buffer.length) return buffer.subarray(start, start + size);
  throw new InvalidDataError(`${name} has a value up to byte ${start + size} of a buffer of ${buffer.length}`);
}
