/** Gathers fields of records, or single columns of rows, into separate arrays. */

/**
 * A field that every record contains. Its bytes, which start at `offset` in each record, are copied to `target` without
 * gaps.
 */
export interface RecordMember {
  readonly offset: number;
  readonly width: number;
  /** Memory of `count` x `width` bytes that begins at a multiple of 4. */
  readonly target: Uint8Array;
}

/**
 * Number of bytes of records that are processed at a time. All fields of such a block are gathered while it is in the
 * CPU cache.
 */
const BLOCK_BYTES = 1 << 16;

/**
 * Gathers fields of `count` records, each `size` bytes long.
 *
 * @example
 * const target = new Uint8Array(4 * count);
 * gatherMembers(bytes, 12, count, [{ offset: 8, width: 4, target }]);
 */
export function gatherMembers(bytes: Uint8Array, size: number, count: number, members: readonly RecordMember[]): void {
  const step = Math.max(1, Math.floor(BLOCK_BYTES / Math.max(1, size)));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let start = 0; start < count; start += step) {
    const rows = Math.min(step, count - start);
    for (const { offset, width, target } of members) {
      const to = target.subarray(start * width, (start + rows) * width);
      gather(bytes, view, start * size + offset, size, width, rows, to);
    }
  }
}

/** Moves values as 32-bit words. Moving them as floats would change the bits of a NaN on some engines. */
function gather(
  bytes: Uint8Array,
  view: DataView,
  first: number,
  stride: number,
  width: number,
  count: number,
  target: Uint8Array,
): void {
  const isAligned = target.byteOffset % 4 === 0;
  if (width === 8 && isAligned) gatherDoubleWords(view, first, stride, count, words(target));
  else if (width === 4 && isAligned) gatherWords(view, first, stride, count, words(target));
  else if (width === 1) gatherBytes(bytes, first, stride, count, target);
  else if (width % 8 === 0 && isAligned) gatherManyWords(view, first, stride, width / 4, count, words(target));
  else gatherRuns(bytes, first, stride, width, count, target);
}

function words({ buffer, byteOffset, length }: Uint8Array): Int32Array {
  return new Int32Array(buffer, byteOffset, length / 4);
}

function gatherDoubleWords(view: DataView, first: number, stride: number, count: number, to: Int32Array): void {
  for (let i = 0, k = 0, at = first; i < count; i++, at += stride) {
    to[k++] = view.getInt32(at, true);
    to[k++] = view.getInt32(at + 4, true);
  }
}

function gatherWords(view: DataView, first: number, stride: number, count: number, to: Int32Array): void {
  for (let i = 0, at = first; i < count; i++, at += stride) to[i] = view.getInt32(at, true);
}

function gatherManyWords(
  view: DataView,
  first: number,
  stride: number,
  perRecord: number,
  count: number,
  to: Int32Array,
): void {
  for (let i = 0, k = 0, at = first; i < count; i++, at += stride) {
    for (let w = 0; w < perRecord; w++) to[k++] = view.getInt32(at + 4 * w, true);
  }
}

function gatherBytes(bytes: Uint8Array, first: number, stride: number, count: number, to: Uint8Array): void {
  for (let i = 0, at = first; i < count; i++, at += stride) to[i] = bytes[at];
}

function gatherRuns(
  bytes: Uint8Array,
  first: number,
  stride: number,
  width: number,
  count: number,
  to: Uint8Array,
): void {
  for (let i = 0, k = 0, at = first; i < count; i++, at += stride) {
    for (let b = 0; b < width; b++) to[k++] = bytes[at + b];
  }
}
