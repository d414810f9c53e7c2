/** Statements about the inputs of a viewer, one at a time. */

import { chosenEngine, type EngineOptions, openEngine } from "../../query/open-engine.node.js";
import { checkQuery } from "../../serve/statements/query-only.js";
import { Session } from "../../session/session.js";
import { ipcStream } from "../../sinks/ipc/ipc.js";
import type { StatementInput } from "../viewer.js";

export class ViewStatements {
  readonly #options: EngineOptions;
  /** Ends with the statement before. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  async *answer({ name, dataset, sql }: StatementInput, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    checkQuery(sql);
    const before = this.#last;
    let resolve = (): void => undefined;
    this.#last = new Promise<void>((done) => {
      resolve = done;
    });
    await before;
    const open = () => openEngine({ ...this.#options, engine: chosenEngine(this.#options.engine) });
    const session = new Session({ datasets: [{ name, path: name, dataset }], union: false }, { files: null, open });
    try {
      signal.throwIfAborted();
      const { rows } = await session.answer(sql, { signal });
      yield* ipcStream(rows, { signal });
    } finally {
      resolve();
      await session.close();
    }
  }
}
