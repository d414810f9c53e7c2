/** Horizontal positions of the grid's columns, and the range of visible columns. */

export interface ColumnPlaces {
  /** Left edge of each column, and the right edge of the last. */
  readonly edges: Float64Array;
}

export function columnPlaces(widths: readonly number[], start: number): ColumnPlaces {
  const edges = new Float64Array(widths.length + 1);
  edges[0] = start;
  for (let index = 0; index < widths.length; index++) edges[index + 1] = edges[index] + widths[index];
  return { edges };
}

/** Returns the columns between two pixels, [start, end). */
export function columnsInSight({ edges }: ColumnPlaces, left: number, right: number): readonly [number, number] {
  const count = edges.length - 1;
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle + 1] <= left) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < count && edges[end] < right) end++;
  return [low, end];
}
