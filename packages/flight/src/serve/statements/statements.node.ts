/** Runs statements in DuckDB, each in its own thread. */

import type { Worker } from "node:worker_threads";
import { UnsupportedError } from "annarrow";
import type { GenericFileOptions } from "annarrow/core/api";
import { fromSerializableError } from "annarrow/core/jobs";
import { CELL_BYTES } from "annarrow/core/sinks";
import { MESSAGE_BYTES, type TableMessage } from "../../flight/messages/message-data.js";
import { getClient } from "../requests/client.js";
import { RequestError } from "../requests/failure.js";
import { checkQuery } from "./query-only.js";
import type { FromStatement, StatementTask, ToStatement } from "./statement-messages.js";
import { StatementQueue } from "./statement-queue.js";
import { StatementThreads } from "./statement-threads.node.js";

export interface StatementOptions {
  /** Maximum number of concurrent statements; 2 by default. */
  readonly most?: number;
  /** Time limit of a statement, in milliseconds; one minute by default. */
  readonly time?: number;
  /**
   * Limit on DuckDB's memory for a statement, in bytes; 1 GiB by default. Including memory that DuckDB does not count,
   * a statement may use twice as much.
   */
  readonly memory?: number;
  /** Maximum size of a statement's temporary files in bytes; 16 GiB by default. */
  readonly tempSize?: number;
  /** Maximum size in bytes of a value, of a row and of a batch in an answer; 64 MiB by default. */
  readonly maxCell?: number;
  /** Maximum size in bytes of one message of an answer. */
  readonly messageBytes?: number;
  /** Where to look for companions (copies of matrices by gene), as in `open`; `auto` by default. */
  readonly companion?: string;
  readonly plain?: GenericFileOptions;
  /** Milliseconds for which an idle thread is cached for the next statement; five minutes by default. */
  readonly keep?: number;
  /** The built file of the thread. */
  readonly entry?: URL;
}

/** The thread's built file, in the same directory as the bundle that contains this module. */
const ENTRY = new URL("./statement-worker.node.js", import.meta.url);

type Common = "companion" | "plain" | "memory" | "tempSize" | "maxCell" | "messageBytes";

export class Statements {
  readonly #queue: StatementQueue;
  readonly #threads: StatementThreads;
  readonly #time: number;
  /** Limit of concurrent statements. */
  readonly most: number;
  readonly #common: Pick<StatementTask, Common>;

  constructor(options: StatementOptions = {}) {
    const { most = 2, time = 60_000, memory = 2 ** 30, messageBytes = MESSAGE_BYTES, companion = "auto" } = options;
    const { plain = {}, entry = ENTRY, keep = 300_000, tempSize = 2 ** 34, maxCell = CELL_BYTES } = options;
    this.#threads = new StatementThreads({ entry, most, time: keep });
    this.most = most;
    this.#queue = new StatementQueue({ most });
    this.#time = time;
    this.#common = { companion, plain, memory, tempSize, maxCell, messageBytes };
  }

  get running(): number {
    return this.#queue.inside;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /**
   * Waits until the client may start a statement. The caller ends the turn by calling the returned function.
   * @param peer address of the client, with or without a port.
   * @throws {RequestError} if too many statements are waiting.
   */
  turn(peer: string, signal: AbortSignal): Promise<() => void> {
    return this.#queue.enter(getClient(peer), signal);
  }

  /**
   * Starts a statement whose client has a turn. The caller must close the statement.
   * @throws {RequestError} for any statement that is not a query.
   */
  start(task: Omit<StatementTask, Common>, signal: AbortSignal): Statement {
    checkQuery(task.sql);
    return new Statement(this.#threads, { ...task, ...this.#common }, this.#time, signal);
  }

  /** Ends the idle threads. */
  close(): void {
    this.#threads.close();
  }
}

/** A running statement. The answer is read once, in parts. */
export class Statement {
  readonly #threads: StatementThreads;
  readonly #thread: Worker;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #received: FromStatement[] = [];
  #untaken = 0;
  #warnings: readonly string[] = [];
  #error: unknown = null;
  #wake = (): void => undefined;
  #isClosed = false;
  #isReusable = false;

  constructor(threads: StatementThreads, task: StatementTask, time: number, signal: AbortSignal) {
    this.#threads = threads;
    this.#signal = signal;
    this.#thread = threads.take();
    this.#thread.on("message", this.#take).on("error", this.#broke).on("exit", this.#ended);
    this.#timer = setTimeout(
      () => this.#stop(new RequestError("deadline", `the statement takes longer than ${time / 1000} s`)),
      time,
    ).unref();
    signal.addEventListener("abort", this.#cancel, { once: true });
    this.#post({ kind: "task", task });
  }

  /** Warnings about the answer. They are available after the answer's schema or first part. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Sends bytes of the uploaded Arrow stream to the thread, once the thread has received the previous part. */
  async upload(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    while (this.#untaken > 1 && this.#error === null && !this.#isOver()) await this.#woken();
    if (this.#error !== null) throw this.#error;
    this.#untaken++;
    this.#post({ kind: "upload", bytes });
  }

  endUpload(): void {
    this.#post({ kind: "uploaded" });
  }

  /**
   * Returns the schema of the answer as an encapsulated message. For a prepared statement, returns the schema of its
   * parameters first.
   */
  async schema(): Promise<Uint8Array<ArrayBuffer>> {
    const message = await this.#next();
    if (message.kind !== "schema") throw new TypeError(`a schema was expected, not ${message.kind}`);
    return message.bytes;
  }

  async *messages(): AsyncGenerator<TableMessage> {
    for (let message = await this.#next(); message.kind === "message"; message = await this.#next()) {
      const { kind: _, ...rest } = message;
      yield rest;
      this.#post({ kind: "more" });
    }
  }

  async *text(): AsyncGenerator<Uint8Array> {
    for (let message = await this.#next(); message.kind === "text"; message = await this.#next()) {
      yield message.bytes;
      this.#post({ kind: "more" });
    }
  }

  /** Waits until a statement whose answer was read has ended, so that its thread can be cached. */
  async end(): Promise<void> {
    const message = await this.#next();
    if (message.kind !== "end") throw new TypeError(`the end was expected, not ${message.kind}`);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#cancel);
    this.#thread.off("message", this.#take).off("error", this.#broke).off("exit", this.#ended);
    if (this.#isReusable) this.#threads.keep(this.#thread);
    else void this.#thread.terminate();
  }

  readonly #take = (message: FromStatement): void => {
    if (message.kind === "taken") this.#untaken--;
    else if (message.kind === "warnings") this.#warnings = message.warnings;
    else this.#received.push(message);
    if (message.kind === "end" || message.kind === "failed") this.#isReusable = message.isReusable;
    this.#wake();
  };

  readonly #broke = (cause: unknown): void => this.#fail(endedBy(cause));

  readonly #ended = (): void => this.#fail(new UnsupportedError("the statement's thread ended"));

  readonly #cancel = (): void => this.#stop(this.#signal.reason);

  #fail(error: unknown): void {
    this.#error ??= error;
    this.#isReusable = false;
    this.#wake();
  }

  async #next(): Promise<FromStatement> {
    for (;;) {
      const message = this.#received.shift();
      if (message?.kind === "failed") throw fromSerializableError(message.error);
      if (message !== undefined) return message;
      if (this.#error !== null) throw this.#error;
      await this.#woken();
    }
  }

  #isOver(): boolean {
    return this.#received.some(({ kind }) => kind === "failed" || kind === "end");
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #post(message: ToStatement): void {
    this.#thread.postMessage(message);
  }

  #stop(error: unknown): void {
    this.#fail(error);
    void this.#thread.terminate();
  }
}

/** @param cause the error that ended the thread. */
function endedBy(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(`the statement's thread ended with ${String(cause)}`);
  const isMemory = "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
  return isMemory ? new UnsupportedError("the statement needs more than it may have", { cause }) : cause;
}
