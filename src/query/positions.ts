/** Sets of positions along an axis, as ascending ranges that neither overlap nor touch. */

export type AxisRanges = readonly (readonly [start: number, end: number])[];

/** Returns the positions [start, end), clipped to an axis of length `size`. */
export function createAxisRange(start: number, end: number, size: number): AxisRanges {
  const [first, last] = [Math.max(0, start), Math.min(end, size)];
  return first < last ? [[first, last]] : [];
}

/** @param positions in any order and with repetitions. */
export function toAxisRanges(positions: Iterable<number>): AxisRanges {
  const ranges: [number, number][] = [];
  for (const position of Float64Array.from(positions).sort()) {
    const last = ranges.at(-1);
    if (last === undefined || position > last[1]) ranges.push([position, position + 1]);
    else if (position === last[1]) last[1]++;
  }
  return ranges;
}

export function union(a: AxisRanges, b: AxisRanges): AxisRanges {
  const ranges: [number, number][] = [];
  for (const [start, end] of [...a, ...b].sort(([one], [other]) => one - other)) {
    const last = ranges.at(-1);
    if (last === undefined || start > last[1]) ranges.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return ranges;
}

export function intersectAxisRanges(a: AxisRanges, b: AxisRanges): AxisRanges {
  const ranges: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    const [start, end] = [Math.max(a[i][0], b[j][0]), Math.min(a[i][1], b[j][1])];
    if (start < end) ranges.push([start, end]);
    if (a[i][1] < b[j][1]) i++;
    else j++;
  }
  return ranges;
}

/** Returns the positions where both conditions hold; null means all positions. */
export function intersectConditions(a: AxisRanges | null, b: AxisRanges | null): AxisRanges | null {
  if (a === null || b === null) return a ?? b;
  return intersectAxisRanges(a, b);
}

/** Returns the positions where at least one condition holds; null means all positions. */
export function uniteConditions(a: AxisRanges | null, b: AxisRanges | null): AxisRanges | null {
  return a === null || b === null ? null : union(a, b);
}

export function complementAxisRanges(positions: AxisRanges, size: number): AxisRanges {
  const starts = [0, ...positions.map(([, end]) => end)];
  const ends = [...positions.map(([start]) => start), size];
  return starts.map((start, i) => [start, ends[i]] as const).filter(([start, end]) => start < end);
}

export function countRangePositions(positions: AxisRanges): number {
  return positions.reduce((sum, [start, end]) => sum + end - start, 0);
}

export function listRangePositions(positions: AxisRanges): Int32Array {
  const all = new Int32Array(countRangePositions(positions));
  let at = 0;
  for (const [start, end] of positions) for (let position = start; position < end; position++) all[at++] = position;
  return all;
}
