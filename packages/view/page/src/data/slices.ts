/** Splits long loops into time slices, so that the page stays responsive. */

/** Milliseconds of a slice before other tasks run. */
const SLICE = 12;

/** Lets pending tasks run: gestures, frames, answers. */
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * Processes the numbers from 0 to `count` in batches of some ten thousands, with pauses.
 * @throws the signal's reason, between two batches.
 */
export async function inSlices(
  count: number,
  work: (from: number, to: number) => void,
  { signal, piece = 65_536 }: { readonly signal?: AbortSignal | undefined; readonly piece?: number } = {},
): Promise<void> {
  let began = performance.now();
  for (let from = 0; from < count; from += piece) {
    if (performance.now() - began > SLICE) {
      await pause();
      began = performance.now();
    }
    signal?.throwIfAborted();
    work(from, Math.min(from + piece, count));
  }
}
