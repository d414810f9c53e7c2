/**
 * How many values a property draws whose draws take long: a quarter of `all` by default, so that tests stay short,
 * all of them where `LONG_RUNS=1`, as in `.ci/run --full`.
 */
export function draws(all: number): { readonly numRuns: number } {
  return { numRuns: Math.max(1, Math.round(all * SHARE)) };
}

const SHARE = Number(process.env.LONG_RUNS ?? 0.25);
