/** A worker as the pool sees it, and how one is started: Web Workers, until an entry installs another kind. */

import type { Reply, WorkerRequest } from "./messages.js";

export interface Thread {
  /** Sends a request; the memory in `transfer` moves. */
  post(request: WorkerRequest, transfer: ArrayBuffer[]): void;
  /** Lets the process end while this thread has nothing to do; `busy` keeps it. Means nothing in a browser. */
  idle(): void;
  busy(): void;
  stop(): void;
}

export interface ThreadEvents {
  reply(reply: Reply): void;
  /** It ended by itself, or could not begin. */
  failure(reason: string): void;
}

export interface Threads {
  /** As many as there are cores. */
  readonly count: number;
  start(events: ThreadEvents): Thread;
}

let installed: Threads | null | undefined;

/** Sets how workers are started; null: not at all. */
export function installThreads(threads: Threads | null | undefined): void {
  installed = threads;
}

/** null where there are no workers. */
export function availableThreads(): Threads | null {
  if (installed !== undefined) return installed;
  return typeof Worker === "undefined" ? null : WEB_WORKERS;
}

const WEB_WORKERS: Threads = {
  get count() {
    return navigator.hardwareConcurrency || 1;
  },
  start({ reply, failure }) {
    // In this form bundlers see the file, and bring it along.
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => reply(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      failure(event.message || "it could not be loaded");
    });
    worker.addEventListener("messageerror", () => failure("it sent what cannot be received"));
    return {
      post: (request, transfer) => worker.postMessage(request, transfer),
      idle: () => undefined,
      busy: () => undefined,
      stop: () => worker.terminate(),
    };
  },
};
