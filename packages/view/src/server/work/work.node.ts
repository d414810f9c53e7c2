/**
 * Runs a viewer's heavy work in separate processes: statements, saved subsets and companions, one of each at a time.
 * When a process ends, all of its memory is returned to the system. The memory of a thread is not.
 */

import { checkQuery } from "@annarrow/flight";
import { fromSerializableError } from "annarrow/core/jobs";
import type { CompanionOptions, CompanionResult } from "annarrow/node/api";
import type { EngineOptions } from "annarrow/node/query";
import { Mutex } from "../../mutex.js";
import { type RunningProcess, WorkProcesses } from "./processes.node.js";
import type {
  AnswerTask,
  FromWork,
  GeneIndexTask,
  SaveTask,
  SerializableOpenOptions,
  WorkTask,
} from "./work-messages.js";
import type { SavedFile, SavingOptions } from "./written-part.node.js";

export interface ViewWorkOptions {
  readonly engine: EngineOptions;
  readonly open: SerializableOpenOptions;
  /** The built file of the process. */
  readonly entry?: URL;
}

export type StatementAbout = Pick<AnswerTask, "name" | "path" | "sql" | "format">;
export type SavingOf = Pick<SaveTask, "name" | "path" | "request" | "to">;

export type CopyingOptions = GeneIndexTask["options"] & Pick<CompanionOptions, "signal" | "onProgress">;

/** Entry file of the process, next to the bundle that contains this module. */
const ENTRY = new URL("./work-process.node.js", import.meta.url);

/**
 * Number of milliseconds in which a cancelled task must end before its process is killed. Tasks that save a subset or
 * create a companion first remove the files that they have written.
 */
const PATIENCE = { statement: 250, save: 5000, companion: 5000 };

export class ViewWork {
  readonly #options: ViewWorkOptions;
  readonly #processes: WorkProcesses;
  /** Aborted when the server ends. */
  readonly #ending = new AbortController();
  readonly #statements = new Mutex();
  readonly #saves = new Mutex();
  readonly #copies = new Mutex();

  constructor(options: ViewWorkOptions) {
    this.#options = options;
    this.#processes = new WorkProcesses(options.entry ?? ENTRY);
  }

  /**
   * Yields the bytes of a statement's answer.
   * @throws {Refusal} for a statement that is not a query.
   * @throws {InvalidInputError} with DuckDB's message.
   */
  async *answer(about: StatementAbout, asked: AbortSignal): AsyncGenerator<Uint8Array> {
    checkQuery(about.sql);
    const { engine, open: options } = this.#options;
    const task: WorkTask = { kind: "statement", ...about, engine, options };
    for await (const reply of this.#inTurn(this.#statements, task, asked)) {
      if (reply.kind === "piece") yield reply.bytes;
    }
  }

  /** Writes a part to a file. A selection or mask is parsed only in the worker process. */
  async save(saving: SavingOf, { signal, onProgress }: SavingOptions): Promise<SavedFile> {
    let file: SavedFile | null = null;
    const task: WorkTask = { kind: "save", ...saving, options: this.#options.open };
    for await (const reply of this.#inTurn(this.#saves, task, signal)) {
      if (reply.kind === "saving") onProgress(reply.saving);
      else if (reply.kind === "saved") file = reply.file;
    }
    if (file === null) throw new TypeError("a part that was not written");
    return file;
  }

  async copy(path: string, { signal, onProgress, ...options }: CopyingOptions): Promise<CompanionResult> {
    let result: CompanionResult | null = null;
    for await (const reply of this.#inTurn(this.#copies, { kind: "companion", path, options }, signal)) {
      if (reply.kind === "copying") onProgress?.(reply.progress);
      else if (reply.kind === "copied") result = reply.result;
    }
    if (result === null) throw new TypeError("a copy without a result");
    return result;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([this.#statements, this.#saves, this.#copies].map((turns) => turns.over()));
    this.#processes.close();
  }

  /** Yields the messages of a task. The task starts when earlier tasks of the same kind have ended. */
  async *#inTurn(turns: Mutex, task: WorkTask, asked?: AbortSignal): AsyncGenerator<FromWork> {
    const signal = asked === undefined ? this.#ending.signal : AbortSignal.any([asked, this.#ending.signal]);
    const end = await turns.take();
    try {
      signal.throwIfAborted();
      yield* this.#run(this.#processFor(task), task, signal);
    } finally {
      end();
    }
  }

  #processFor({ kind }: WorkTask): RunningProcess {
    if (kind === "statement") return this.#processes.take();
    // Saving a subset needs the memory that an idle process holds for statements.
    if (kind === "save") this.#processes.endKept();
    return this.#processes.start();
  }

  /** Yields the messages of a process until its task ends. */
  async *#run(process: RunningProcess, task: WorkTask, signal: AbortSignal): AsyncGenerator<FromWork> {
    const cancel = () => process.send({ kind: "cancel" });
    signal.addEventListener("abort", cancel, { once: true });
    let isOver = false;
    try {
      process.send({ kind: "task", task });
      for (;;) {
        const reply = await process.next(signal);
        isOver = reply.kind === "end" || reply.kind === "failed";
        if (reply.kind === "failed") throw fromSerializableError(reply.error);
        if (reply.kind === "end") return;
        yield reply;
        if (reply.kind === "piece") process.send({ kind: "more" });
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      if (!isOver && !process.isOver) {
        cancel();
        isOver = await process.isOverWithin(PATIENCE[task.kind]);
      }
      if (isOver && task.kind === "statement") this.#processes.keep(process);
      else process.end();
    }
  }
}
