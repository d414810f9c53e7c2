/** A run of bytes to fetch at once, and which of the asked ranges lie in it. */
export interface MergedRange {
  readonly start: number;
  end: number;
  readonly members: number[];
}

/** Bytes between two ranges that cost less than a request of their own. */
const MAX_GAP = 32 * 1024;
/** The largest run that ranges are merged into, so that several requests can run at once. */
const MAX_RUN = 8 * 1024 * 1024;

/** Joins neighbouring ranges [start, end) into runs; `members` are positions in `ranges`. Empty ranges are left out. */
export function mergeRanges(ranges: readonly { readonly start: number; readonly end: number }[]): MergedRange[] {
  const order = ranges.map((_, index) => index).filter((index) => ranges[index].end > ranges[index].start);
  order.sort((a, b) => ranges[a].start - ranges[b].start);
  const runs: MergedRange[] = [];
  let run: MergedRange | undefined;
  for (const index of order) {
    const { start, end } = ranges[index];
    if (run !== undefined && start - run.end <= MAX_GAP && Math.max(end, run.end) - run.start <= MAX_RUN) {
      run.end = Math.max(run.end, end);
      run.members.push(index);
    } else {
      run = { start, end, members: [index] };
      runs.push(run);
    }
  }
  return runs;
}
