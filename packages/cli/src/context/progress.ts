/** Progress on stderr, if it is a terminal. */

import type { Progress } from "annarrow";
import { escapeControlChars } from "annarrow/core/api";

export interface ProgressBar {
  readonly update: (progress: Omit<Progress, "unit"> & { readonly unit: string }) => void;
  stop(): void;
}

/** Shows a bar per element; does nothing if stderr is not a terminal. */
export async function createProgressBar(): Promise<ProgressBar> {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  const bar = await oneLineBar("{element} ", " {percentage}% {count}");
  let element: string | undefined;
  return {
    update(state) {
      const total = Math.max(state.total ?? state.done, 1);
      const payload = {
        element: escapeControlChars(state.element),
        count: `${state.done.toLocaleString("en")} ${state.unit}`,
      };
      if (state.element !== element) {
        if (element !== undefined) bar.stop();
        element = state.element;
        bar.start(total, state.done, payload);
      } else bar.update(state.done, payload);
      bar.setTotal(total);
    },
    stop() {
      if (element !== undefined) bar.stop();
      element = undefined;
    },
  };
}

export interface BatchProgress {
  /** Runs `action`, which prints lines above the bar. */
  around(action: () => Promise<void>): Promise<void>;
  update(input: string, state: Progress): void;
  done(): void;
  stop(): void;
}

/** Shows a bar for all inputs with the state of the current one, below the lines about finished inputs. */
export async function createBatchProgress(total: number): Promise<BatchProgress> {
  if (!process.stderr.isTTY) {
    return { around: (action) => action(), update: () => undefined, done: () => undefined, stop: () => undefined };
  }
  const bar = await oneLineBar("", " {value} of {total} files {current}");
  let finished = 0;
  const start = () => bar.start(total, finished, { current: "" });
  start();
  return {
    async around(action) {
      bar.stop();
      await action();
      start();
    },
    update(input, state) {
      const part = state.total ? ` ${Math.min(100, Math.floor((100 * state.done) / state.total))}%` : "";
      bar.update(finished, { current: escapeControlChars(`${input}: ${state.element}${part}`) });
    },
    done() {
      finished++;
      bar.update(finished, { current: "" });
    },
    stop: () => bar.stop(),
  };
}

async function oneLineBar(before: string, after: string) {
  const { default: progress } = await import("cli-progress");
  const color = process.env.NO_COLOR === undefined || process.env.NO_COLOR === "";
  return new progress.SingleBar(
    {
      format: color ? `${before}\u001b[2m{bar}\u001b[0m${after}` : `${before}{bar}${after}`,
      barsize: 24,
      // With these options, a process that is stopped leaves the terminal as it was.
      hideCursor: false,
      gracefulExit: false,
      clearOnComplete: true,
      stream: process.stderr,
      fps: 8,
    },
    progress.Presets.shades_grey,
  );
}
