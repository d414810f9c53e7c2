/** Blocks of an array in C order -> the same values with the dimensions in reverse order. */

/** A block of an array: where its first element stands, and how much of each dimension it has. */
export interface Block {
  readonly offset: readonly number[];
  readonly shape: readonly number[];
}

/** Squares of about so many elements are copied at a time: both sides of them stay in the cache. */
const TILE = 32;

/**
 * Copies what `block` has of positions [start, end) of the last dimension to where it belongs in `target`: the elements
 * of `extent` with these positions, in reverse order of dimensions, so that the last one comes first.
 * @param bytes of the block in C order; what reaches beyond `extent` is passed over.
 * @param size bytes of one element.
 */
export function placeReversed(
  bytes: Uint8Array,
  block: Block,
  extent: readonly number[],
  [start, end]: readonly [start: number, end: number],
  target: Uint8Array,
  size: number,
): void {
  const rank = extent.length;
  const low = block.offset.map((at, d) => (d === rank - 1 ? Math.max(at, start) : at));
  const high = block.offset.map((at, d) => Math.min(at + block.shape[d], d === rank - 1 ? end : extent[d]));
  if (low.some((at, d) => at >= high[d])) return;
  const from = block.shape.map(() => 1);
  for (let d = rank - 2; d >= 0; d--) from[d] = from[d + 1] * block.shape[d + 1];
  const to = extent.map(() => 1);
  for (let d = 1; d < rank; d++) to[d] = to[d - 1] * extent[d - 1];
  let source = 0;
  let place = 0;
  for (let d = 0; d < rank; d++) {
    source += (low[d] - block.offset[d]) * from[d];
    place += (low[d] - (d === rank - 1 ? start : 0)) * to[d];
  }
  const copy = copier(bytes, target, size);
  if (rank === 1) {
    copy(source, 1, place, 1, 1, high[0] - low[0]);
    return;
  }
  const last = rank - 1;
  const [rows, columns] = [high[0] - low[0], high[last] - low[last]];
  // The dimensions between the first and the last.
  const at = low.slice();
  for (;;) {
    copy(source, from[0], place, to[last], rows, columns);
    let d = last - 1;
    for (; d >= 1; d--) {
      source += from[d];
      place += to[d];
      if (++at[d] < high[d]) break;
      source -= (high[d] - low[d]) * from[d];
      place -= (high[d] - low[d]) * to[d];
      at[d] = low[d];
    }
    if (d < 1) return;
  }
}

/** Copies rows x columns: `rows` are `fromStride` apart in the source, columns `toStride` in the target, else neighbours. */
type Copy = (
  source: number,
  fromStride: number,
  place: number,
  toStride: number,
  rows: number,
  columns: number,
) => void;

function copier(bytes: Uint8Array, target: Uint8Array, size: number): Copy {
  const word = wordOf(size, bytes, target);
  if (word === 1) return (...ranges) => copyWords(bytes, target, size, ...ranges);
  const [from, to] = [words(bytes, word), words(target, word)];
  return (...ranges) => copyWords(from, to, size / word, ...ranges);
}

/** Values are moved as words: as floats, the bits of a signalling NaN would change. */
function wordOf(size: number, ...all: readonly Uint8Array[]): 1 | 2 | 4 {
  const fits = (width: number) =>
    size % width === 0 && all.every(({ byteOffset, length }) => byteOffset % width === 0 && length % width === 0);
  return fits(4) ? 4 : fits(2) ? 2 : 1;
}

function words({ buffer, byteOffset, length }: Uint8Array, width: 2 | 4): Uint16Array | Uint32Array {
  return width === 2
    ? new Uint16Array(buffer, byteOffset, length / 2)
    : new Uint32Array(buffer, byteOffset, length / 4);
}

type Words = Uint8Array | Uint16Array | Uint32Array;

function copyWords(
  from: Words,
  to: Words,
  per: number,
  source: number,
  fromStride: number,
  place: number,
  toStride: number,
  rows: number,
  columns: number,
): void {
  for (let column = 0; column < columns; column += TILE) {
    const columnEnd = Math.min(columns, column + TILE);
    for (let row = 0; row < rows; row += TILE) {
      const rowEnd = Math.min(rows, row + TILE);
      for (let c = column; c < columnEnd; c++) {
        let read = (source + row * fromStride + c) * per;
        let write = (place + c * toStride + row) * per;
        const step = fromStride * per;
        if (per === 2) {
          for (let r = row; r < rowEnd; r++, read += step, write += 2) {
            to[write] = from[read];
            to[write + 1] = from[read + 1];
          }
        } else if (per === 1) {
          for (let r = row; r < rowEnd; r++, read += step, write++) to[write] = from[read];
        } else {
          for (let r = row; r < rowEnd; r++, read += step, write += per) {
            for (let k = 0; k < per; k++) to[write + k] = from[read + k];
          }
        }
      }
    }
  }
}
