/** Fragments as typed arrays: chromosomes and cells by number, with half-open ranges of positions. */

export interface FragmentRows {
  readonly length: number;
  readonly chr: Uint32Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  readonly cell: Uint32Array;
  /** The number of reads of each fragment; null if unknown. */
  readonly count: Uint32Array | null;
}

/** The columns that determine the order of fragments. */
export type FragmentPositions = Pick<FragmentRows, "length" | "chr" | "start">;

/** Adjacent rows [from, to) of one chromosome. */
export interface ChromosomeRange {
  readonly chr: number;
  readonly from: number;
  readonly to: number;
}

/** Yields the rows in parts of at most `most` rows, as views. */
export function* splitFragmentRows(rows: FragmentRows, most: number): Generator<FragmentRows> {
  for (let from = 0; from < rows.length; from += most) {
    const to = Math.min(rows.length, from + most);
    yield {
      length: to - from,
      chr: rows.chr.subarray(from, to),
      start: rows.start.subarray(from, to),
      end: rows.end.subarray(from, to),
      cell: rows.cell.subarray(from, to),
      count: rows.count?.subarray(from, to) ?? null,
    };
  }
}

/** Yields the chromosomes and starts in parts of at most `most` rows, as views. */
export function* splitPositions({ length, chr, start }: FragmentPositions, most: number): Generator<FragmentPositions> {
  for (let from = 0; from < length; from += most) {
    const to = Math.min(length, from + most);
    yield { length: to - from, chr: chr.subarray(from, to), start: start.subarray(from, to) };
  }
}

/**
 * Returns the position in [from, to) of the first value that differs from the value at `from`; `to` if all are equal.
 */
export function runEnd(values: Uint32Array, from: number, to: number): number {
  const value = values[from];
  let i = from + 1;
  while (i < to && values[i] === value) i++;
  return i;
}

/**
 * Returns the position in [from, to) of the first value that is less than the value before it, or -1 if there is no
 * such value. The first value is compared with `before`.
 */
export function findNextDescent(values: Uint32Array, from: number, to: number, before: number): number {
  let last = before;
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (value < last) return i;
    last = value;
  }
  return -1;
}

/** Counts the fragments that end before they start. */
export function countBackwards({ start, end, length }: FragmentRows): number {
  let count = 0;
  for (let i = 0; i < length; i++) if (end[i] < start[i]) count++;
  return count;
}
