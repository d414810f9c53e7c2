/**
 * The thread of a viewer's statements, one at a time. DuckDB-WASM blocks its thread while it computes, and native DuckDB's
 * answers are made Arrow batches here, too. The input of the statement before stays open for the next one.
 */

import { availableParallelism } from "node:os";
import { parentPort } from "node:worker_threads";
import { open } from "../../api/open.node.js";
import { toPlainError } from "../../jobs/workers/messages.js";
import { workerPool } from "../../jobs/workers/pool.js";
import type { Dataset } from "../../model/dataset.js";
import { chosenEngine, openEngine } from "../../query/open-engine.node.js";
import { Session } from "../../session/session.js";
import { encodedRows } from "../encoded-rows.js";
import type { FromViewStatement, ToViewStatement, ViewStatement } from "./statement-messages.js";

interface OpenedSession {
  readonly key: string;
  readonly dataset: Dataset;
  readonly session: Session;
}

/** Milliseconds after a statement in which the workers wait for another one. */
const REST = 5000;

class StatementThread {
  #opened: OpenedSession | null = null;
  #cancelling = new AbortController();
  #credit = 1;
  #wake = (): void => undefined;
  #resting: NodeJS.Timeout | undefined;

  take(message: ToViewStatement): void {
    switch (message.kind) {
      case "statement":
        void this.#run(message.statement);
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

  async #run(statement: ViewStatement): Promise<void> {
    clearTimeout(this.#resting);
    this.#cancelling = new AbortController();
    this.#credit = 1;
    const { signal } = this.#cancelling;
    try {
      post({ kind: "begun", isNative: chosenEngine(statement.engine.engine) === "native" });
      const { session } = await this.#session(statement);
      const { rows } = await session.answer(statement.sql, { signal });
      for await (const bytes of encodedRows(rows, statement.format, { signal })) {
        while (this.#credit === 0 && !signal.aborted) await this.#woken();
        signal.throwIfAborted();
        this.#credit--;
        const own = Uint8Array.from(bytes);
        post({ kind: "piece", bytes: own }, [own.buffer]);
      }
      post({ kind: "end" });
    } catch (error) {
      // The file may have changed.
      if (!signal.aborted) await this.#close();
      post({ kind: "failed", error: toPlainError(error) });
    } finally {
      this.#rest();
    }
  }

  /** Ends the workers where no statement follows soon: each holds memory. */
  #rest(): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => workerPool()?.stop(), REST).unref();
  }

  async #session({ name, path, options, engine }: ViewStatement): Promise<OpenedSession> {
    const key = JSON.stringify([name, path, options]);
    if (this.#opened?.key === key) return this.#opened;
    await this.#close();
    const dataset = await open(path, options);
    const session = new Session(
      { datasets: [{ name, path, dataset }], union: false },
      { files: null, open: () => openEngine({ ...engine, engine: chosenEngine(engine.engine) }) },
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

function post(message: FromViewStatement, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

// The server has workers of its own, and DuckDB has threads: as many workers again would need memory, and win little time.
workerPool()?.limit(Math.max(1, Math.floor(availableParallelism() / 2)));
const thread = new StatementThread();
parentPort?.on("message", (message: ToViewStatement) => thread.take(message));
