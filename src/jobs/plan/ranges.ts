/** Converts positions to ascending ranges that are not adjacent. */

/** Positions [start, end). */
export type Range = readonly [start: number, end: number];

/** Returns the ranges of `positions`, which must be ascending. */
export function toPositionRanges(positions: readonly number[]): Range[] {
  const ranges: [number, number][] = [];
  for (const position of positions) {
    const last = ranges.at(-1);
    if (last?.[1] === position) last[1]++;
    else ranges.push([position, position + 1]);
  }
  return ranges;
}

/** Returns the parts of `ranges` within [start, end); null means all positions. */
export function* clipRanges(ranges: readonly Range[] | null, start: number, end: number): Generator<Range> {
  if (start >= end) return;
  if (ranges === null) return yield [start, end];
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle][1] <= start) low = middle + 1;
    else high = middle;
  }
  for (; low < ranges.length && ranges[low][0] < end; low++) {
    yield [Math.max(start, ranges[low][0]), Math.min(end, ranges[low][1])];
  }
}

/** Joins ranges that are less than `gap` positions apart. */
export function joinCloseRanges(ranges: readonly Range[], gap: number): Range[] {
  const joined: [number, number][] = [];
  for (const [start, end] of ranges) {
    const last = joined.at(-1);
    if (last !== undefined && start - last[1] < gap) last[1] = end;
    else joined.push([start, end]);
  }
  return joined;
}
