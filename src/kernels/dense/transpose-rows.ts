/** Transposition of rows and columns. Blocks are copied, so that neither side misses the cache at every step. */

import type { NumberArray } from "../../model/stored.js";

export interface TransposedLayout {
  /** Number of values per row in `source`, and per line in `target`. */
  readonly rowLength: number;
  readonly lineLength: number;
  /**
   * For each position in a row, the index of the line that its values go to; null if each index equals the position.
   */
  readonly lines: Int32Array | null;
  /** Number of typed array elements per value: 2 for complex numbers. */
  readonly per: 1 | 2;
}

const BLOCK = 32;

/**
 * Copies value `j` of row `firstRow + i` of `source` to position `at + i` of its line in `target`, for `rows` rows.
 * Both arrays have the same type.
 */
export function transposeRows(
  source: NumberArray,
  firstRow: number,
  rows: number,
  target: NumberArray,
  at: number,
  { rowLength, lineLength, lines, per }: TransposedLayout,
): void {
  const from = words(source);
  const to = words(target);
  // A 64-bit integer consists of two words.
  const each = per * (source.BYTES_PER_ELEMENT === 8 && !(from instanceof Float64Array) ? 2 : 1);
  for (let j0 = 0; j0 < rowLength; j0 += BLOCK) {
    const j1 = Math.min(j0 + BLOCK, rowLength);
    for (let i0 = 0; i0 < rows; i0 += BLOCK) {
      const i1 = Math.min(i0 + BLOCK, rows);
      for (let j = j0; j < j1; j++) {
        const line = (lines === null ? j : lines[j]) * lineLength + at;
        copyLine(from, (firstRow + i0) * rowLength + j, rowLength, to, line + i0, i1 - i0, each);
      }
    }
  }
}

function copyLine(
  from: Words,
  first: number,
  step: number,
  to: Words,
  line: number,
  count: number,
  each: number,
): void {
  if (each === 1) {
    for (let i = 0, place = first; i < count; i++, place += step) to[line + i] = from[place];
    return;
  }
  for (let i = 0, place = first; i < count; i++, place += step) {
    for (let k = 0; k < each; k++) to[(line + i) * each + k] = from[place * each + k];
  }
}

type Words = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Views numbers as words. This includes Float32, since moving a signalling NaN as a number would change its bits. */
function words(values: NumberArray): Words {
  if (values instanceof Float64Array) return values;
  const { buffer, byteOffset, length } = values;
  switch (values.BYTES_PER_ELEMENT) {
    case 1:
      return new Uint8Array(buffer, byteOffset, length);
    case 2:
      return new Uint16Array(buffer, byteOffset, length);
    case 4:
      return new Uint32Array(buffer, byteOffset, length);
    default:
      return new Uint32Array(buffer, byteOffset, 2 * length);
  }
}
