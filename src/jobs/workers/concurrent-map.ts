/**
 * Concurrent map that preserves the order of its inputs. Workers process most inputs, and this thread processes the
 * rest.
 */

import { waitUnlessAborted, yieldToEventLoop } from "../../io/sources/event-loop.js";
import { WorkersUnavailable } from "./pool.js";

export interface ConcurrentMapOptions<I, O> {
  /** Number of inputs that workers process at once. Three times as many may be pending in total. */
  readonly window: number;
  readonly run: (input: I) => Promise<O>;
  /** Does the work of `run` in this thread, one call at a time, if all workers are busy or there are no workers. */
  readonly inline: (input: I) => Promise<O>;
  readonly signal?: AbortSignal | undefined;
}

interface Result<O> {
  readonly value: Promise<O>;
  settled: boolean;
}

/**
 * Yields the results of `inputs`, in the same order.
 * @throws the error of the first input in this order that failed, or, immediately, the signal's reason.
 */
export async function* mapStreamInOrder<I, O>(
  inputs: AsyncIterator<I>,
  options: ConcurrentMapOptions<I, O>,
): AsyncGenerator<O> {
  const { window, run, inline, signal } = options;
  const results: Result<O>[] = [];
  let running = 0;
  let more = true;
  const next = async (): Promise<I | null> => {
    const found = await inputs.next();
    more = found.done !== true;
    return found.done ? null : found.value;
  };
  let last: Promise<unknown> = Promise.resolve();
  const here = (input: I): Promise<O> => {
    const value = last.then(() => inline(input));
    last = value.catch(() => undefined);
    return value;
  };
  /** Adds a result. If it is an error, it is thrown only when its turn comes. */
  const wait = (value: Promise<O>): Promise<void> => {
    const result = { value, settled: false };
    results.push(result);
    const settle = () => {
      result.settled = true;
    };
    return value.then(settle, settle);
  };
  for (;;) {
    while (more && running < window && results.length < 3 * window) {
      const input = await next();
      if (input === null) break;
      running++;
      const value = run(input).catch((error: unknown) => {
        if (error instanceof WorkersUnavailable) return here(input);
        throw error;
      });
      void wait(value).then(() => running--);
    }
    const [first] = results;
    if (first === undefined) return;
    if (first.settled || !more || results.length >= 3 * window) {
      results.shift();
      yield await waitUnlessAborted(first.value, signal);
      continue;
    }
    const input = await next();
    if (input === null) continue;
    await wait(here(input));
    await yieldToEventLoop();
  }
}
