/** Statements about the inputs of a viewer, one at a time, in a thread. */

import type { Worker } from "node:worker_threads";
import { freeBytes } from "../../flight/free-memory.node.js";
import { fromPlainError } from "../../jobs/workers/messages.js";
import type { EngineOptions } from "../../query/open-engine.node.js";
import { checkQuery } from "../../serve/statements/query-only.js";
import { StatementThreads } from "../../serve/statements/statement-threads.node.js";
import { Turns } from "../turns.js";
import type { FromViewStatement, PlainOpenOptions, ToViewStatement, ViewStatement } from "./statement-messages.js";

export interface ViewStatementsOptions {
  readonly engine: EngineOptions;
  readonly open: PlainOpenOptions;
  /** The built file of the thread. */
  readonly entry?: URL;
}

export type StatementAbout = Pick<ViewStatement, "name" | "path" | "sql" | "format">;

/** The thread's file, beside the bundle with this module. */
const ENTRY = new URL("./view-statement-thread.node.js", import.meta.url);

/** Milliseconds for which a thread without a statement is kept: DuckDB loads slowly, and holds memory. */
const KEPT = 60_000;

/** MiB of the nursery of the thread's heap. */
const NURSERY = 8;

/** Milliseconds in which a cancelled statement must end, before its thread is ended. Native DuckDB ends it. */
const PATIENCE = 250;
const PATIENCE_WITH_NATIVE = 20_000;

export class ViewStatements {
  readonly #options: ViewStatementsOptions;
  readonly #threads: StatementThreads;
  /** Aborted when the server ends. */
  readonly #ending = new AbortController();
  readonly #turns = new Turns();

  constructor(options: ViewStatementsOptions) {
    this.#options = options;
    this.#threads = new StatementThreads({ entry: options.entry ?? ENTRY, most: 1, time: KEPT, nursery: NURSERY });
  }

  /**
   * The bytes of the answer.
   * @throws {Refusal} for a statement that is no query.
   * @throws {InvalidInputError} with DuckDB's message.
   */
  async *answer(about: StatementAbout, asked: AbortSignal): AsyncGenerator<Uint8Array> {
    checkQuery(about.sql);
    const signal = AbortSignal.any([asked, this.#ending.signal]);
    const end = await this.#turns.take();
    try {
      signal.throwIfAborted();
      yield* this.#run(about, signal);
    } finally {
      end();
    }
  }

  /** Cancels the running statement, and ends the threads. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#threads.close();
    await this.#turns.over();
  }

  async *#run(about: StatementAbout, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const thread = this.#threads.take();
    const replies = new Replies(thread);
    const { engine, open: options } = this.#options;
    const send = (message: ToViewStatement) => thread.postMessage(message);
    const cancel = () => send({ kind: "cancel" });
    signal.addEventListener("abort", cancel, { once: true });
    let isOver = false;
    let isNative = false;
    try {
      send({ kind: "statement", statement: { ...about, engine, options } });
      for (;;) {
        const reply = await replies.next(signal);
        switch (reply.kind) {
          case "begun":
            isNative = reply.isNative;
            break;
          case "piece":
            yield reply.bytes;
            // The server has sent a stream's bytes, but may still hold those of a file that it writes.
            if (about.format === "stream") freeBytes(reply.bytes);
            send({ kind: "more" });
            break;
          case "failed":
            isOver = true;
            throw fromPlainError(reply.error);
          case "end":
            isOver = true;
            return;
          default:
            reply satisfies never;
        }
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      if (!isOver) {
        cancel();
        isOver = await replies.ended(isNative ? PATIENCE_WITH_NATIVE : PATIENCE);
      }
      replies.close();
      if (isOver) this.#threads.keep(thread);
      // The end of its thread in the middle of a statement of native DuckDB would be the end of the process.
      else if (isNative) thread.unref();
      else await thread.terminate();
    }
  }
}

/** What the thread sends for one statement. */
class Replies {
  readonly #thread: Worker;
  readonly #waiting: FromViewStatement[] = [];
  #failure: Error | null = null;
  #wake = (): void => undefined;

  constructor(thread: Worker) {
    this.#thread = thread;
    thread.on("message", this.#take);
    thread.on("error", this.#fail);
    thread.on("exit", this.#exit);
  }

  readonly #take = (message: FromViewStatement): void => {
    this.#waiting.push(message);
    this.#wake();
  };

  readonly #fail = (error: Error): void => {
    this.#failure ??= error;
    this.#wake();
  };

  readonly #exit = (): void => this.#fail(new Error("the thread of statements has ended"));

  async next(signal: AbortSignal): Promise<FromViewStatement> {
    const aborted = () => this.#wake();
    signal.addEventListener("abort", aborted, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        const reply = this.#waiting.shift();
        if (reply !== undefined) return reply;
        if (this.#failure !== null) throw this.#failure;
        await this.#woken();
      }
    } finally {
      signal.removeEventListener("abort", aborted);
    }
  }

  /** Whether the statement is over within so many milliseconds. */
  async ended(milliseconds: number): Promise<boolean> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), milliseconds);
    try {
      for (;;) {
        const { kind } = await this.next(late.signal);
        if (kind === "end" || kind === "failed") return true;
      }
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#thread.off("message", this.#take);
    this.#thread.off("error", this.#fail);
    this.#thread.off("exit", this.#exit);
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
