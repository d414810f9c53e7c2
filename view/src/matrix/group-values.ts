/** Values of genes in groups of cells: the mean of all cells of a group, and the share of its cells that are not zero. */

export interface GeneEntries {
  /** Positions of cells. */
  readonly rows: Uint32Array;
  readonly values: Float64Array;
}

export interface Groups {
  /** Group of each cell; those beyond `count` belong to none. Null where all cells are one group. */
  readonly codes: Uint8Array | Uint16Array | null;
  readonly count: number;
  /** One byte for each cell: those with 0 belong to no group; null for all. */
  readonly mask: Uint8Array | null;
}

export interface GroupValues {
  readonly means: readonly number[];
  readonly shares: readonly number[];
}

/** How many cells each group has. */
export function groupSizes({ codes, count, mask }: Groups, cells: number): readonly number[] {
  const sizes = new Array<number>(count).fill(0);
  for (let cell = 0; cell < cells; cell++) {
    if (mask?.[cell] === 0) continue;
    const group = codes === null ? 0 : codes[cell];
    if (group < count) sizes[group]++;
  }
  return sizes;
}

/** Mean and share of a gene in each group. Cells without an entry are zeros; a group without cells has NaN. */
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

/** Values between 0 for the least and 1 for the greatest; 0 where all are equal. NaN stays. */
export function scaled(values: readonly number[]): readonly number[] {
  const known = values.filter((value) => !Number.isNaN(value));
  const least = Math.min(...known);
  const range = Math.max(...known) - least;
  return values.map((value) => (Number.isNaN(value) ? value : range === 0 ? 0 : (value - least) / range));
}
