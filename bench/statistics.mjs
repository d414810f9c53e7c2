// Figures of several runs.

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Of the runs of one side; times in seconds by the case's clock, the largest peak in bytes. */
export function summary(runs, clock) {
  const times = runs.map((run) => run[clock]);
  return {
    median: median(times),
    minimum: Math.min(...times),
    whole: median(runs.map((run) => run.whole)),
    cpu: median(runs.map((run) => run.cpu)),
    peak: Math.max(...runs.map((run) => run.peak)),
  };
}
