/** Progress on stderr, where that is a terminal. */

import type { Progress } from "../model/dataset.js";

export interface ProgressBar {
  readonly update: (progress: Progress) => void;
  stop(): void;
}

/** A bar per element; nothing where stderr is no terminal. */
export async function progressBar(): Promise<ProgressBar> {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  const { default: progress } = await import("cli-progress");
  const color = process.env.NO_COLOR === undefined || process.env.NO_COLOR === "";
  const bar = new progress.SingleBar(
    {
      format: color
        ? "{element} \u001b[2m{bar}\u001b[0m {percentage}% {count}"
        : "{element} {bar} {percentage}% {count}",
      barsize: 24,
      // Nothing that would have to be set right where the process is stopped.
      hideCursor: false,
      gracefulExit: false,
      clearOnComplete: true,
      stream: process.stderr,
      fps: 8,
    },
    progress.Presets.shades_grey,
  );
  let element: string | undefined;
  return {
    update(state) {
      const total = Math.max(state.total ?? state.done, 1);
      const payload = { element: state.element, count: `${state.done.toLocaleString("en")} ${state.unit}` };
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
