/**
 * The thread of a viewer's statements, one at a time. DuckDB-WASM blocks its thread while it computes, and native DuckDB's
 * answers are made Arrow batches here, too. The input of the statement before stays open for the next one.
 */

import { parentPort } from "node:worker_threads";
import { open } from "../../api/open.node.js";
import { toPlainError } from "../../jobs/workers/messages.js";
import type { Dataset } from "../../model/dataset.js";
import { chosenEngine, openEngine } from "../../query/open-engine.node.js";
import { Session } from "../../session/session.js";
import { ipcStream } from "../../sinks/ipc/ipc.js";
import type { FromViewStatement, ToViewStatement, ViewStatement } from "./statement-messages.js";

interface OpenedSession {
  readonly key: string;
  readonly dataset: Dataset;
  readonly session: Session;
}

class StatementThread {
  #opened: OpenedSession | null = null;
  #cancelling = new AbortController();
  #credit = 1;
  #wake = (): void => undefined;

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
    this.#cancelling = new AbortController();
    this.#credit = 1;
    const { signal } = this.#cancelling;
    try {
      post({ kind: "begun", isNative: chosenEngine(statement.engine.engine) === "native" });
      const { session } = await this.#session(statement);
      const { rows } = await session.answer(statement.sql, { signal });
      for await (const bytes of ipcStream(rows, { signal })) {
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
    }
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

const thread = new StatementThread();
parentPort?.on("message", (message: ToViewStatement) => thread.take(message));
