/**
 * The thread that runs statements, one at a time and each in a new database. DuckDB blocks its thread while it
 * computes, and loading DuckDB takes longer than most statements.
 */

import { parentPort } from "node:worker_threads";
import { isAnnarrowError } from "annarrow";
import { toSerializableError } from "annarrow/core/jobs";
import { createFileAccessSql, type LimitAdvice } from "annarrow/core/sinks";
import { planWorkFolder } from "annarrow/node/io";
import { type InProcessDuckDB, type LoadedDuckDB, loadDuckDB } from "annarrow/node/sinks";
import { runStatement } from "./run-statement.node.js";
import type { StatementTask, ToStatement } from "./statement-messages.js";
import { StatementPort } from "./statement-port.js";

/** Maximum engine memory of a cached thread. The memory never shrinks, so larger threads end with their statement. */
const MAX_KEPT = 2 ** 27;

class StatementThread {
  #loaded: LoadedDuckDB | null = null;
  #port: StatementPort | null = null;
  /** Resolves when the previous statement has ended and its database is closed. */
  #last = Promise.resolve();

  take(message: ToStatement): void {
    if (message.kind !== "task") {
      this.#port?.take(message);
      return;
    }
    const port = new StatementPort((answer, transfer) => parentPort?.postMessage(answer, transfer));
    this.#port = port;
    this.#last = this.#last.then(() => this.#run(message.task, port));
  }

  async #run(task: StatementTask, port: StatementPort): Promise<void> {
    let engine: InProcessDuckDB | null = null;
    try {
      // DuckDB's own limit includes neither the result values nor their encoder.
      this.#loaded ??= await loadDuckDB({ memory: 2 * task.memory });
      engine = await openedFor(task, this.#loaded);
      await runStatement({ task, engine, port });
      port.send({ kind: "end", isReusable: this.#isSmall() });
    } catch (error) {
      port.send({
        kind: "failed",
        error: toSerializableError(error),
        isReusable: isHarmless(error) && this.#isSmall(),
      });
    }
    await engine?.close();
  }

  #isSmall(): boolean {
    return this.#loaded !== null && this.#loaded.memoryBytes <= MAX_KEPT;
  }
}

const ADVICE: LimitAdvice = {
  memory:
    "the statement must sort, join or group fewer rows and columns, or the server needs a larger --statement-memory",
  tempSize: "the statement must name fewer columns or positions, or the server needs a larger --statement-temp",
  cell: "the statement must take less of it, as with left(x, 1000), or the server needs a larger --max-cell",
};

/** Opens a database with the task's limits. Its statements can only access the database's own files. */
async function openedFor({ memory, tempSize, maxCell }: StatementTask, loaded: LoadedDuckDB): Promise<InProcessDuckDB> {
  const folder = await planWorkFolder("annarrow-statement");
  const engine = loaded.open({ folder, memory: memory / 2, tempSize, maxCell, advice: ADVICE });
  await engine.run(`set memory_limit = '${Math.ceil(memory / 2 ** 20)}MiB'`);
  await engine.run(createFileAccessSql([folder.path]));
  return engine;
}

/** Whether an error only affects the statement. An error that stopped the engine may have corrupted its memory. */
function isHarmless(error: unknown): boolean {
  if (!isAnnarrowError(error) || !["InvalidInputError", "NotFoundError"].includes(error.tag)) return false;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof WebAssembly.RuntimeError) return false;
  }
  return true;
}

/** Runs the statements that the thread's parent sends. */
export function startStatementThread(): void {
  const thread = new StatementThread();
  parentPort?.on("message", (message: ToStatement) => thread.take(message));
}
