/** The threads that run statements. Idle threads are cached for later statements, because DuckDB loads slowly. */

import { Worker } from "node:worker_threads";
import { getThreadArguments } from "annarrow/node/platform";

export interface ThreadOptions {
  /** The built file of the thread. */
  readonly entry: URL;
  /** Limit of cached threads. */
  readonly most: number;
  /** Milliseconds for which an idle thread is cached. */
  readonly time: number;
}

export class StatementThreads {
  readonly #options: ThreadOptions;
  /** Cached threads and the timers that end them. The most recently used threads come last. */
  readonly #kept = new Map<Worker, NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  take(): Worker {
    const kept = [...this.#kept.keys()].at(-1);
    if (kept === undefined) return this.#started();
    this.#forget(kept);
    kept.ref();
    return kept;
  }

  /** Caches a thread whose statement has ended. */
  keep(thread: Worker): void {
    if (this.#isClosed || this.#kept.size >= this.#options.most) {
      void thread.terminate();
      return;
    }
    thread.unref();
    this.#kept.set(thread, setTimeout(() => void thread.terminate(), this.#options.time).unref());
  }

  /** Ends the cached threads. Threads that are returned later are ended, too. */
  close(): void {
    this.#isClosed = true;
    for (const thread of this.#kept.keys()) void thread.terminate();
  }

  #started(): Worker {
    const thread = new Worker(this.#options.entry, { execArgv: getThreadArguments() });
    thread.on("exit", () => this.#forget(thread));
    // Without a listener, an error in a cached thread would end the server.
    thread.on("error", () => this.#forget(thread));
    return thread;
  }

  #forget(thread: Worker): void {
    clearTimeout(this.#kept.get(thread));
    this.#kept.delete(thread);
  }
}
