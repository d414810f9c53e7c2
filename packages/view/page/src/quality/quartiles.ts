/** The five numbers that a box plot shows for each group. */

export interface Box {
  readonly group: string;
  readonly count: number;
  readonly least: number;
  readonly lower: number;
  readonly median: number;
  readonly upper: number;
  readonly greatest: number;
}

/**
 * Computes quartiles by linear interpolation, numpy's default. Missing and infinite numbers are ignored; groups without
 * numbers are left out.
 * @param codes group of each number; codes beyond the labels belong to no group.
 * @param mask one byte for each number; those with 0 are ignored; null for all.
 */
export function boxesOf(
  values: ArrayLike<number>,
  codes: ArrayLike<number>,
  labels: readonly string[],
  mask: Uint8Array | null,
): readonly Box[] {
  const isCounted = (index: number) =>
    mask?.[index] !== 0 && codes[index] < labels.length && Number.isFinite(values[index]);
  const counts = new Array<number>(labels.length).fill(0);
  for (let index = 0; index < values.length; index++) if (isCounted(index)) counts[codes[index]]++;
  const groups = counts.map((count) => new Float64Array(count));
  const filled = new Array<number>(labels.length).fill(0);
  for (let index = 0; index < values.length; index++) {
    if (isCounted(index)) groups[codes[index]][filled[codes[index]]++] = values[index];
  }
  return groups.flatMap((sorted, index) => {
    if (sorted.length === 0) return [];
    sorted.sort();
    return [
      {
        ...{ group: labels[index], count: sorted.length },
        ...{ least: sorted[0], greatest: sorted[sorted.length - 1] },
        ...{ lower: quantile(sorted, 0.25), median: quantile(sorted, 0.5), upper: quantile(sorted, 0.75) },
      },
    ];
  });
}

function quantile(sorted: Float64Array, share: number): number {
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}
