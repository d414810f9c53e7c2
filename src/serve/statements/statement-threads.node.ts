/** The threads of statements. Some that have ended a statement are kept for the next ones, because DuckDB loads slowly. */

import { Worker } from "node:worker_threads";
import { threadArguments } from "../../platform/thread-arguments.node.js";

export interface ThreadOptions {
  /** The built file of the thread. */
  readonly entry: URL;
  /** Limit of threads that are kept. */
  readonly most: number;
  /** Milliseconds for which a thread is kept without a statement. */
  readonly time: number;
}

export class StatementThreads {
  readonly #options: ThreadOptions;
  /** Kept threads, the last used one last, and the timers that end them. */
  readonly #kept = new Map<Worker, NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** A thread without a statement. */
  take(): Worker {
    const kept = [...this.#kept.keys()].at(-1);
    if (kept === undefined) return this.#started();
    this.#forget(kept);
    kept.ref();
    return kept;
  }

  /** Keeps a thread whose statement is over. */
  keep(thread: Worker): void {
    if (this.#isClosed || this.#kept.size >= this.#options.most) {
      void thread.terminate();
      return;
    }
    thread.unref();
    this.#kept.set(thread, setTimeout(() => void thread.terminate(), this.#options.time).unref());
  }

  /** Ends the kept threads, and later those that come back. */
  close(): void {
    this.#isClosed = true;
    for (const thread of this.#kept.keys()) void thread.terminate();
  }

  #started(): Worker {
    const thread = new Worker(this.#options.entry, { execArgv: threadArguments() });
    thread.on("exit", () => this.#forget(thread));
    // Without a listener, the error of a kept thread would end the server.
    thread.on("error", () => this.#forget(thread));
    return thread;
  }

  #forget(thread: Worker): void {
    clearTimeout(this.#kept.get(thread));
    this.#kept.delete(thread);
  }
}
