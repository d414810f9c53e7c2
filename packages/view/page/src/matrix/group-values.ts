/** Values of genes in groups of cells: the mean over all cells of a group, and the fraction of nonzero cells. */

export interface GeneEntries {
  readonly rows: Uint32Array;
  readonly values: Float64Array;
}

export interface Groups {
  /** Group of each cell; codes from `count` on belong to no group. Null if all cells form one group. */
  readonly codes: Uint8Array | Uint16Array | null;
  readonly count: number;
  /** One byte per cell; 0 excludes the cell from all groups. Null includes all cells. */
  readonly mask: Uint8Array | null;
}

export interface GroupValues {
  readonly means: readonly number[];
  readonly shares: readonly number[];
}

export function groupSizes({ codes, count, mask }: Groups, cells: number): readonly number[] {
  const sizes = new Array<number>(count).fill(0);
  for (let cell = 0; cell < cells; cell++) {
    if (mask?.[cell] === 0) continue;
    const group = codes === null ? 0 : codes[cell];
    if (group < count) sizes[group]++;
  }
  return sizes;
}

/** Returns the mean and nonzero fraction of a gene per group. Missing entries are zeros; empty groups give NaN. */
export function groupValues(
  { rows, values }: GeneEntries,
  { codes, count, mask }: Groups,
  sizes: readonly number[],
): GroupValues {
  const sums = new Array<number>(count).fill(0);
  const present = new Array<number>(count).fill(0);
  for (let entry = 0; entry < rows.length; entry++) {
    const cell = rows[entry];
    if (mask?.[cell] === 0) continue;
    const group = codes === null ? 0 : codes[cell];
    if (group >= count) continue;
    const value = values[entry];
    sums[group] += value;
    // Files may store zeros.
    if (value !== 0) present[group]++;
  }
  return {
    means: sums.map((sum, group) => sum / sizes[group]),
    shares: present.map((number, group) => number / sizes[group]),
  };
}

/** Scales values linearly to [0, 1]; all 0 if they are equal. NaN stays NaN. */
export function scaled(values: readonly number[]): readonly number[] {
  const known = values.filter((value) => !Number.isNaN(value));
  const least = Math.min(...known);
  const range = Math.max(...known) - least;
  return values.map((value) => (Number.isNaN(value) ? value : range === 0 ? 0 : (value - least) / range));
}
