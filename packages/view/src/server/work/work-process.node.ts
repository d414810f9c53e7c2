/**
 * Worker process of a page's server, which runs one task at a time: statements, saved subsets and companions. After a
 * statement, its input remains open for the next one. The process ends when its server ends.
 */

import { availableParallelism } from "node:os";
import type { Dataset, Progress } from "annarrow";
import { UnsupportedError } from "annarrow";
import { getWorkerPool, toSerializableError } from "annarrow/core/jobs";
import { Session } from "annarrow/core/query";
import { open } from "annarrow/node/api";
import { openEngine, pickEngineKind } from "annarrow/node/query";
import { encodeAnswerRows } from "../../encoded-rows.js";
import type { ViewSaving } from "../../view-request.js";
import type { AnswerTask, FromWork, GeneIndexTask, SaveTask, ToWork, WorkTask } from "./work-messages.js";

interface OpenedSession {
  readonly key: string;
  readonly dataset: Dataset;
  readonly session: Session;
}

/** Number of milliseconds for which idle workers are kept after a statement, in case another one follows. */
const REST = 5000;

/** Milliseconds between two progress messages about a saved part or a copy. */
const TELLING = 100;

class WorkProcess {
  #opened: OpenedSession | null = null;
  #cancelling = new AbortController();
  #credit = 1;
  #wake = (): void => undefined;
  #resting: NodeJS.Timeout | undefined;

  take(message: ToWork): void {
    switch (message.kind) {
      case "task":
        void this.#run(message.task);
        break;
      case "more":
        this.#credit++;
        this.#wake();
        break;
      case "cancel":
        this.#cancelling.abort();
        this.#wake();
        break;
      default:
        message satisfies never;
    }
  }

  async #run(task: WorkTask): Promise<void> {
    clearTimeout(this.#resting);
    this.#cancelling = new AbortController();
    const { signal } = this.#cancelling;
    try {
      switch (task.kind) {
        case "statement":
          await this.#answer(task, signal);
          break;
        case "save":
          await save(task, signal);
          break;
        case "companion":
          await copy(task, signal);
          break;
        default:
          task satisfies never;
      }
      send({ kind: "end" });
    } catch (error) {
      // The file may have changed.
      if (!signal.aborted) await this.#close();
      send({ kind: "failed", error: toSerializableError(error) });
    } finally {
      this.#rest();
    }
  }

  async #answer(task: AnswerTask, signal: AbortSignal): Promise<void> {
    // DuckDB has its own threads. Just as many workers would need more memory and save little time.
    getWorkerPool()?.limit(Math.max(1, Math.floor(availableParallelism() / 2)));
    this.#credit = 1;
    const { session } = await this.#session(task);
    const { rows } = await session.answer(task.sql, { signal });
    for await (const bytes of encodeAnswerRows(rows, task.format, { signal })) {
      while (this.#credit === 0 && !signal.aborted) await this.#woken();
      signal.throwIfAborted();
      this.#credit--;
      send({ kind: "piece", bytes });
    }
  }

  /** Ends the workers if no statement follows soon, because each worker holds memory. */
  #rest(): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => getWorkerPool()?.stop(), REST).unref();
  }

  async #session({ name, path, options, engine }: AnswerTask): Promise<OpenedSession> {
    const key = JSON.stringify([name, path, options]);
    if (this.#opened?.key === key) return this.#opened;
    await this.#close();
    const dataset = await open(path, options);
    const session = new Session(
      { datasets: [{ name, path, dataset }], union: false },
      { files: null, open: () => openEngine({ ...engine, engine: pickEngineKind(engine.engine) }) },
    );
    this.#opened = { key, dataset, session };
    return this.#opened;
  }

  async #close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = null;
    await opened?.session.close();
    await opened?.dataset.close();
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

async function save({ path, options, request, to }: SaveTask, signal: AbortSignal): Promise<void> {
  // Statements start sooner if the writers are loaded only when needed.
  const [{ createViewPart }, { writePart }] = await Promise.all([
    import("../../part.js"),
    import("./written-part.node.js"),
  ]);
  const dataset = await open(path, options);
  try {
    const statement = () => {
      throw new UnsupportedError("a part is no statement");
    };
    const part = await createViewPart(dataset, request, { signal, statement });
    const onProgress = sometimes((saving: ViewSaving) => send({ kind: "saving", saving }));
    send({ kind: "saved", file: await writePart(to, part, { signal, onProgress }) });
  } finally {
    await dataset.close();
  }
}

async function copy({ path, options }: GeneIndexTask, signal: AbortSignal): Promise<void> {
  const { writeCompanion } = await import("annarrow/node/api");
  const onProgress = sometimes((progress: Progress) => send({ kind: "copying", progress }));
  send({ kind: "copied", result: await writeCompanion(path, { ...options, signal, onProgress }) });
}

/** Throttles progress messages. */
function sometimes<T>(tell: (progress: T) => void): (progress: T) => void {
  let next = 0;
  return (progress) => {
    if (performance.now() < next) return;
    next = performance.now() + TELLING;
    tell(progress);
  };
}

function send(message: FromWork): void {
  process.send?.(message);
}

/** Runs the tasks that the parent process sends. */
export function startWorkProcess(): void {
  const work = new WorkProcess();
  process.on("message", (message: ToWork) => work.take(message));
  // The server also receives the signal, and decides what to end.
  process.on("SIGINT", () => undefined);
  // The process is useless without its server, even in the middle of a task.
  process.on("disconnect", () => process.exit());
}
