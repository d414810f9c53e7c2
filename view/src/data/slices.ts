/** Long loops in slices, so that the page answers between them. */

/** Milliseconds for which a slice runs before others get their turn. */
const SLICE = 12;

/** Lets what waits run: gestures, frames, answers. */
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * Does work over the numbers from 0 to `count`, in pieces of some ten thousands, with pauses.
 * @throws the signal's reason, between two pieces.
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
